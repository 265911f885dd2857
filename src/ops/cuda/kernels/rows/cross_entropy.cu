// Work split: eight lanes own a node, a whole warp when there are many classes;
// a block walks over nodes and leaves one partial sum, one block adds them up;
// one block adds up the weights of the nodes.
// Memory: a row comes from memory once; the second and third look at it hit L1.
// Determinism: a lane adds up its nodes in order, then lanes, warps and blocks
// are added in the order of their numbers; rows of the gradient have one
// writer.
#include <cmath>

#include "ops/cuda/kernels/block_sum.cuh"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/rows/cross_entropy.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

constexpr int kFewClasses = 64;  // up to which eight lanes share a node
constexpr int kFewLanes = 8;
// Enough to fill the device: blocks wait for memory most of the time.
constexpr int64_t kLossBlocks = 2 * kSumBlocks;

int lanes_for(int classes) {
  return classes <= kFewClasses ? kFewLanes : kWarp;
}
int64_t blocks_for(int64_t count, int classes) {
  return divided_up(count, kBlockThreads / lanes_for(classes));
}

__device__ __forceinline__ float log_of(float x) { return logf(x); }
__device__ __forceinline__ double log_of(double x) { return log(x); }

template <typename T>
struct Exponentials {
  T top;  // the largest logit
  T sum;  // of exp(logit - top)
};

// Of the row that L neighbouring lanes share; all lanes of the warp must call
// it, those without a row with no classes. A NaN makes the sum NaN.
template <int L, typename S>
__device__ __forceinline__ Exponentials<Compute<S>> exponentials(const S* row,
                                                                 int classes) {
  using T = Compute<S>;
  const int lane = lane_id() % L;
  T top = static_cast<T>(-INFINITY);
  for (int c = lane; c < classes; c += L) {
    const T logit = to_compute(row[c]);
    top = logit > top ? logit : top;
  }
#pragma unroll
  for (int offset = L / 2; offset > 0; offset /= 2) {
    const T other = __shfl_xor_sync(kAllLanes, top, offset);
    top = other > top ? other : top;
  }
  T sum = T(0);
  for (int c = lane; c < classes; c += L) {
    sum += exp_of(to_compute(row[c]) - top);
  }
#pragma unroll
  for (int offset = L / 2; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, offset);
  }
  return {top, sum};
}

template <typename S>
struct Target {
  const S* row;  // null when there is none
  int label;
};

template <typename S>
__device__ __forceinline__ Target<S> target_of(const CrossEntropy<S>& job,
                                               int64_t i) {
  if (i >= job.count) return {nullptr, 0};
  const int64_t node = job.nodes[i], label = job.labels[i];
  if (node < 0 || node >= job.rows || label < 0 || label >= job.classes) {
    return {nullptr, 0};
  }
  return {job.logits + node * job.classes, static_cast<int>(label)};
}

// The first node of a warp when all are handed out in the order of the warps.
template <int L>
__device__ __forceinline__ int64_t first_node() {
  const int64_t warp =
      static_cast<int64_t>(blockIdx.x) * warps_per_block() + warp_id();
  return warp * (kWarp / L);
}

template <typename S>
__device__ __forceinline__ Compute<S> weight_of(const CrossEntropy<S>& job,
                                                int label) {
  return job.weights == nullptr ? Compute<S>(1) : job.weights[label];
}

// What the loss is divided by. Labels out of range count nothing: they make the
// loss NaN anyway.
template <typename S>
__global__ void __launch_bounds__(kBlockThreads)
    total_weight_kernel(CrossEntropy<S> job, double* total) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < job.count; i += kBlockThreads) {
    const int64_t label = job.labels[i];
    if (label < 0 || label >= job.classes) continue;
    sum += static_cast<double>(job.weights[label]);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) *total = sum;
}

template <int L, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    loss_kernel(CrossEntropy<S> job, double* partial) {
  using T = Compute<S>;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * (kBlockThreads / L);
  double sum = 0;
  for (int64_t first = first_node<L>(); first < job.count; first += stride) {
    const int64_t i = first + lane_id() / L;
    const Target<S> target = target_of(job, i);
    const bool known = target.row != nullptr;
    const Exponentials<T> e =
        exponentials<L>(target.row, known ? job.classes : 0);
    if (lane_id() % L != 0 || i >= job.count) continue;
    sum += known ? weight_of(job, target.label) *
                       (log_of(e.sum) +
                        (e.top - to_compute(target.row[target.label])))
                 : static_cast<T>(NAN);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    mean_kernel(const double* partial, int64_t blocks, int64_t count,
                const double* total, T* loss) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < blocks; i += kBlockThreads) {
    sum += partial[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    const double whole = total == nullptr ? static_cast<double>(count) : *total;
    *loss = static_cast<T>(sum / whole);
  }
}

template <int L, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    gradient_kernel(CrossEntropy<S> job, const Compute<S>* grad,
                    const double* total, S* grad_logits) {
  using T = Compute<S>;
  const Target<S> target = target_of(job, first_node<L>() + lane_id() / L);
  const Exponentials<T> e =
      exponentials<L>(target.row, target.row != nullptr ? job.classes : 0);
  if (target.row == nullptr) return;
  const T scale = total == nullptr ? *grad / static_cast<T>(job.count)
                                   : *grad * weight_of(job, target.label) /
                                         static_cast<T>(*total);
  const T inverse_sum = T(1) / e.sum;
  S* const out = grad_logits + (target.row - job.logits);
  for (int c = lane_id() % L; c < job.classes; c += L) {
    const T probability =
        exp_of(to_compute(target.row[c]) - e.top) * inverse_sum;
    const T missing = probability - (c == target.label ? T(1) : T(0));
    out[c] = to_storage<S>(scale * missing);
  }
}

// Null without weights, where the count says it.
template <typename S>
const double* launch_total_weight(const CrossEntropy<S>& job, double* total,
                                  cudaStream_t stream) {
  if (job.weights == nullptr) return nullptr;
  total_weight_kernel<<<1, kBlockThreads, 0, stream>>>(job, total);
  return total;
}

}  // namespace

int64_t cross_entropy_blocks(int64_t count, int classes) {
  return std::min(kLossBlocks, blocks_for(count, classes));
}

template <typename S>
cudaError_t launch_cross_entropy(const CrossEntropy<S>& job, double* partial,
                                 double* total, Compute<S>* loss,
                                 cudaStream_t stream) {
  const double* const whole = launch_total_weight(job, total, stream);
  const int64_t blocks = cross_entropy_blocks(job.count, job.classes);
  if (blocks > 0) {
    const auto kernel = lanes_for(job.classes) == kFewLanes
                            ? loss_kernel<kFewLanes, S>
                            : loss_kernel<kWarp, S>;
    kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
        job, partial);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
  }
  mean_kernel<<<1, kBlockThreads, 0, stream>>>(partial, blocks, job.count,
                                               whole, loss);
  return cudaGetLastError();
}

template <typename S>
cudaError_t launch_cross_entropy_backward(const CrossEntropy<S>& job,
                                          const Compute<S>* grad, double* total,
                                          S* grad_logits, cudaStream_t stream) {
  const size_t bytes = static_cast<size_t>(job.rows) *
                       static_cast<size_t>(job.classes) * sizeof(S);
  if (bytes == 0) return cudaSuccess;
  const cudaError_t error = cudaMemsetAsync(grad_logits, 0, bytes, stream);
  const int64_t blocks = blocks_for(job.count, job.classes);
  if (error != cudaSuccess || blocks == 0) return error;
  const double* const whole = launch_total_weight(job, total, stream);
  const auto kernel = lanes_for(job.classes) == kFewLanes
                          ? gradient_kernel<kFewLanes, S>
                          : gradient_kernel<kWarp, S>;
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
      job, grad, whole, grad_logits);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(S)                                          \
  template cudaError_t launch_cross_entropy(                                \
      const CrossEntropy<S>&, double*, double*, Compute<S>*, cudaStream_t); \
  template cudaError_t launch_cross_entropy_backward(                       \
      const CrossEntropy<S>&, const Compute<S>*, double*, S*, cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16)

}  // namespace ordered_gnn::cuda
