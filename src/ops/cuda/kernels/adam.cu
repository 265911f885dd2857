// Work split: one launch for many tensors; a block owns a run of one of them.
// Memory: value, gradient and moments are read once, value and moments written
// once, 16 bytes at a time where the pointers allow it; the table of tensors is
// a kernel argument.
// Determinism: elements of a step are independent; squares are summed in runs
// fixed by the sizes, then in the order of the runs.
#include "ops/cuda/kernels/adam.h"
#include "ops/cuda/kernels/block_sum.cuh"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"
#include "ops/cuda/kernels/tensor_table.cuh"

namespace ordered_gnn::cuda {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEps = 1e-8;
constexpr int kGroup = 4;  // neighbours of a thread
constexpr int64_t kRun = kGroup * kBlockThreads;
constexpr int64_t kSquareRun = 16 * kBlockThreads;

template <typename T>
struct Coefficients {
  T step_size;
  T inverse_sqrt_correction2;
};

// By squaring: far shorter than pow(), and t is a whole number.
__device__ __forceinline__ double power(double base, int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

// Long compared with the rest: one thread each, in warps of their own so that
// they run at the same time.
template <typename T>
__device__ __forceinline__ Coefficients<T> coefficients(
    const AdamStep<T>& job) {
  __shared__ Coefficients<T> result;
  if (threadIdx.x == 0) {
    result.step_size =
        static_cast<T>(*job.lr / (1.0 - power(kBeta1, *job.steps)));
  } else if (threadIdx.x == kWarp) {
    result.inverse_sqrt_correction2 =
        static_cast<T>(1.0 / sqrt(1.0 - power(kBeta2, *job.steps)));
  }
  __syncthreads();
  return result;
}

// A product that the compiler must not make part of a multiply-add: a scale of
// 1 then leaves the bits of a step without one.
__device__ __forceinline__ float product_of(float a, float b) {
  return __fmul_rn(a, b);
}
__device__ __forceinline__ double product_of(double a, double b) {
  return __dmul_rn(a, b);
}

// The first `size` of a thread's neighbours; zeros after them.
template <typename T>
__device__ __forceinline__ void load_group(const T* from, int size, bool packed,
                                           T (&x)[kGroup]) {
  if (packed) {
#pragma unroll
    for (int j = 0; j < kGroup; j += kVector<T>) {
      load_pack<kVector<T>>(from + j, x + j);
    }
  } else {
#pragma unroll
    for (int j = 0; j < kGroup; ++j) x[j] = j < size ? from[j] : T(0);
  }
}

template <typename T>
__device__ __forceinline__ void store_group(T* to, int size, bool packed,
                                            const T (&x)[kGroup]) {
  if (packed) {
#pragma unroll
    for (int j = 0; j < kGroup; j += kVector<T>) {
      store_pack<kVector<T>>(to + j, x + j);
    }
  } else {
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      if (j < size) to[j] = x[j];
    }
  }
}

template <typename T>
__device__ __forceinline__ void update(const Coefficients<T>& c, T l2, T grad,
                                       T& value, T& m, T& v) {
  const T beta1 = static_cast<T>(kBeta1), beta2 = static_cast<T>(kBeta2);
  const T g = grad + l2 * value;
  m = beta1 * m + (T(1) - beta1) * g;
  v = beta2 * v + (T(1) - beta2) * g * g;
  value -= c.step_size * m /
           (sqrt_of(v) * c.inverse_sqrt_correction2 + static_cast<T>(kEps));
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    adam_kernel(const __grid_constant__ AdamStep<T> job) {
  const int block = static_cast<int>(blockIdx.x);
  const AdamTensor<T>& tensor = job.tensor[tensor_of(job, block)];
  const int64_t first =
      (block - tensor.first_block) * kRun + threadIdx.x * kGroup;
  const int64_t left = tensor.size - first;
  const int size = left < 0        ? 0
                   : left < kGroup ? static_cast<int>(left)
                                   : kGroup;
  const bool packed = tensor.packed != 0 && size == kGroup;
  T value[kGroup], grad[kGroup], m[kGroup], v[kGroup];
  // Loads first: they are under way while the few numbers are looked up.
  load_group(tensor.value + first, size, packed, value);
  load_group(tensor.grad + first, size, packed, grad);
  load_group(tensor.m + first, size, packed, m);
  load_group(tensor.v + first, size, packed, v);
  if (job.stopped != nullptr && *job.stopped != 0) return;
  const T l2 = static_cast<T>(tensor.l2);
  const T scale =
      job.grad_scale == nullptr ? T(1) : static_cast<T>(*job.grad_scale);
  const Coefficients<T> c = coefficients(job);
#pragma unroll
  for (int j = 0; j < kGroup; ++j) {
    update(c, l2, product_of(grad[j], scale), value[j], m[j], v[j]);
  }
  store_group(tensor.value + first, size, packed, value);
  store_group(tensor.m + first, size, packed, m);
  store_group(tensor.v + first, size, packed, v);
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    square_sum_kernel(const __grid_constant__ SquareSums<T> job) {
  const int block = static_cast<int>(blockIdx.x);
  const NormTensor<T>& tensor = job.tensor[tensor_of(job, block)];
  const int64_t begin = (block - tensor.first_block) * kSquareRun;
  const int64_t end =
      begin + kSquareRun < tensor.size ? begin + kSquareRun : tensor.size;
  double squares = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kBlockThreads) {
    const double x = static_cast<double>(tensor.data[i]);
    squares += x * x;
  }
  squares = block_sum(squares);
  if (threadIdx.x == 0) job.partial[block] = squares;
}

__global__ void __launch_bounds__(kBlockThreads)
    clip_scale_kernel(const double* partial, int64_t count, double max_norm,
                      double* scale) {
  double squares = 0;
  for (int64_t i = threadIdx.x; i < count; i += kBlockThreads) {
    squares += partial[i];
  }
  const double norm = sqrt(block_sum(squares));
  if (threadIdx.x == 0) *scale = norm > max_norm ? max_norm / norm : 1.0;
}

}  // namespace

template <typename T>
cudaError_t launch_adam(AdamStep<T> job, cudaStream_t stream) {
  for (int i = 0; i < job.count; ++i) {
    AdamTensor<T>& tensor = job.tensor[i];
    tensor.packed =
        all_aligned(tensor.value, tensor.grad, tensor.m, tensor.v) ? 1 : 0;
  }
  const int64_t blocks = number_blocks(job, kRun);
  if (blocks == 0) return cudaSuccess;
  adam_kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

int64_t square_sum_blocks(int64_t size) { return divided_up(size, kSquareRun); }

template <typename T>
cudaError_t launch_square_sums(SquareSums<T> job, cudaStream_t stream) {
  const int64_t blocks = number_blocks(job, kSquareRun);
  if (blocks == 0) return cudaSuccess;
  square_sum_kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0,
                      stream>>>(job);
  return cudaGetLastError();
}

cudaError_t launch_clip_scale(const double* partial, int64_t count,
                              double max_norm, double* scale,
                              cudaStream_t stream) {
  clip_scale_kernel<<<1, kBlockThreads, 0, stream>>>(partial, count, max_norm,
                                                     scale);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(T)                             \
  template cudaError_t launch_adam(AdamStep<T>, cudaStream_t); \
  template cudaError_t launch_square_sums(SquareSums<T>, cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::cuda
