// Work split: one launch for many tensors; a block owns a run of one of them.
// Memory: value, gradient and moments are read once, value and moments written
// once; the table of tensors is a kernel argument.
// Determinism: elements are independent.
#include "ops/cuda/kernels/adam.h"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/warp.cuh"

namespace ordered_gnn::cuda {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEps = 1e-8;
constexpr int64_t kRun = 4 * kBlockThreads;  // elements of a block

template <typename T>
struct Coefficients {
  T step_size;
  T inverse_sqrt_correction2;
};

// Computed by one thread: powers in double are long compared with the rest.
template <typename T>
__device__ Coefficients<T> coefficients(const AdamStep<T>& job) {
  __shared__ Coefficients<T> result;
  if (threadIdx.x == 0) {
    const double t = static_cast<double>(*job.steps);
    result.step_size = static_cast<T>(*job.lr / (1.0 - pow(kBeta1, t)));
    result.inverse_sqrt_correction2 =
        static_cast<T>(1.0 / sqrt(1.0 - pow(kBeta2, t)));
  }
  __syncthreads();
  return result;
}

// The tensor a block works on: the last whose first block is not after it.
template <typename T>
__device__ int tensor_of(const AdamStep<T>& job, int block) {
  int low = 0, high = job.count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (job.tensor[middle].first_block <= block) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    adam_kernel(const __grid_constant__ AdamStep<T> job) {
  if (job.loss != nullptr && !isfinite(*job.loss)) return;
  const Coefficients<T> c = coefficients(job);
  const int block = static_cast<int>(blockIdx.x);
  const AdamTensor<T>& tensor = job.tensor[tensor_of(job, block)];
  const int64_t begin = (block - tensor.first_block) * kRun;
  const int64_t end = begin + kRun < tensor.size ? begin + kRun : tensor.size;
  const T beta1 = static_cast<T>(kBeta1), beta2 = static_cast<T>(kBeta2);
  const T eps = static_cast<T>(kEps), l2 = static_cast<T>(tensor.l2);
  for (int64_t i = begin + threadIdx.x; i < end; i += kBlockThreads) {
    const T value = tensor.value[i];
    const T g = tensor.grad[i] + l2 * value;
    const T m = beta1 * tensor.m[i] + (T(1) - beta1) * g;
    const T v = beta2 * tensor.v[i] + (T(1) - beta2) * g * g;
    tensor.m[i] = m;
    tensor.v[i] = v;
    tensor.value[i] =
        value -
        c.step_size * m / (sqrt_of(v) * c.inverse_sqrt_correction2 + eps);
  }
}

template <typename T>
__global__ void count_step_kernel(int64_t* steps, const T* loss) {
  if (loss == nullptr || isfinite(*loss)) ++*steps;
}

}  // namespace

template <typename T>
cudaError_t launch_adam(AdamStep<T> job, cudaStream_t stream) {
  int64_t blocks = 0;
  for (int i = 0; i < job.count; ++i) {
    job.tensor[i].first_block = static_cast<int>(blocks);
    blocks += divided_up(job.tensor[i].size, kRun);
  }
  if (blocks == 0) return cudaSuccess;
  adam_kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_count_step(int64_t* steps, const T* loss,
                              cudaStream_t stream) {
  count_step_kernel<<<1, 1, 0, stream>>>(steps, loss);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(T)                             \
  template cudaError_t launch_adam(AdamStep<T>, cudaStream_t); \
  template cudaError_t launch_count_step(int64_t*, const T*, cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::cuda
