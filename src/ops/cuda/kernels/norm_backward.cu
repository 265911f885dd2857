// Work split: a fixed number of blocks whose warps walk through the rows, a
// warp per row; a second kernel (column_sums.cu) adds up the blocks' shares.
// Memory: x and the gradient are read once and grad_x is written once; a lane
// keeps the sums of its columns in registers over all rows of its warp. Rows of
// more than 256 columns are read three times.
// Determinism: which rows a warp owns follows from the number of rows; sums run
// in row order within a warp and in the order of warps within a block.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/layer_norm.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

// A span of a row: the gradient after dropout was undone, the input as it was
// and as it was normalised. Zeros past the end of the row.
template <typename T>
struct NormSpan {
  T grad[kPerLane];
  T x[kPerLane];
  T normalized[kPerLane];
};

template <int V, typename T>
__device__ __forceinline__ void load_span(const NormBackward<T>& job, int64_t v,
                                          int base, uint64_t counter_high,
                                          NormSpan<T>& span) {
  const int64_t offset = v * job.dim;
  load_tile<V>(job.grad + offset, base, job.dim, span.grad);
  load_tile<V>(job.x + offset, base, job.dim, span.x);
  const T mean = job.mean[v], rstd = job.rstd[v];
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) span.normalized[j] = T(0);
  for_packs<V>(base, job.dim, [&](int j, int column) {
    if (job.mask.active) {
      drop_pack<V>(job.mask, counter_high,
                   static_cast<uint64_t>(offset + column), span.grad + j);
    }
#pragma unroll
    for (int k = 0; k < V; ++k) {
      const T x = span.x[j + k];
      const T input = job.relu && x < T(0) ? T(0) : x;
      span.normalized[j + k] = (input - mean) * rstd;
    }
  });
}

template <typename T>
struct ColumnSums {
  T weight[kPerLane];
  T bias[kPerLane];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) weight[j] = bias[j] = T(0);
  }
  __device__ __forceinline__ void add(const NormSpan<T>& span) {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      weight[j] += span.grad[j] * span.normalized[j];
      bias[j] += span.grad[j];
    }
  }
};

// Writes grad_x of a row; leaves a row of one span in `span`.
template <int V, typename T>
__device__ __forceinline__ void undo_row(const NormBackward<T>& job, int64_t v,
                                         uint64_t counter_high,
                                         NormSpan<T>& span) {
  T sum = T(0), product = T(0);
  for (int base = 0; base < job.dim; base += kSpan) {
    load_span<V>(job, v, base, counter_high, span);
    for_packs<V>(base, job.dim, [&](int j, int column) {
      T weight[V];
      load_pack<V>(job.weight + column, weight);
#pragma unroll
      for (int k = 0; k < V; ++k) {
        const T scaled = span.grad[j + k] * weight[k];
        sum += scaled;
        product += scaled * span.normalized[j + k];
      }
    });
  }
  const T inverse_dim = T(1) / static_cast<T>(job.dim);
  const T mean_grad = warp_sum(sum) * inverse_dim;
  const T correlation = warp_sum(product) * inverse_dim;
  const T rstd = job.rstd[v];
  T* const out = job.grad_x + v * job.dim;
  for (int base = 0; base < job.dim; base += kSpan) {
    if (job.dim > kSpan) load_span<V>(job, v, base, counter_high, span);
    for_packs<V>(base, job.dim, [&](int j, int column) {
      T weight[V], result[V];
      load_pack<V>(job.weight + column, weight);
#pragma unroll
      for (int k = 0; k < V; ++k) {
        const T value = rstd * (span.grad[j + k] * weight[k] - mean_grad -
                                span.normalized[j + k] * correlation);
        result[k] = job.relu && span.x[j + k] <= T(0) ? T(0) : value;
      }
      store_pack<V>(out + column, result);
    });
  }
}

template <int V, typename T>
__global__ void __launch_bounds__(kBlockThreads)
    norm_backward_kernel(const NormBackward<T> job) {
  __shared__ T parts[kBlockWarps][kSpan];
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBlockWarps;
  T* const shares =
      job.partial + static_cast<int64_t>(blockIdx.x) * 2 * job.dim;
  const bool one_span = job.dim <= kSpan;
  NormSpan<T> span;
  ColumnSums<T> sums;
  sums.clear();
  for (int64_t v = first; v < job.rows; v += stride) {
    undo_row<V>(job, v, counter_high, span);
    if (one_span) sums.add(span);
  }
  for (int base = 0; base < job.dim; base += kSpan) {
    if (!one_span) {
      sums.clear();
      for (int64_t v = first; v < job.rows; v += stride) {
        load_span<V>(job, v, base, counter_high, span);
        sums.add(span);
      }
    }
    store_column_sums<V>(sums.weight, parts[warp_id()], parts[0], kSpan, base,
                         job.dim, shares);
    store_column_sums<V>(sums.bias, parts[warp_id()], parts[0], kSpan, base,
                         job.dim, shares + job.dim);
  }
}

}  // namespace

int64_t norm_backward_blocks(int64_t rows) {
  return sum_blocks(rows, kBlockWarps);
}

template <typename T>
cudaError_t launch_norm_backward(const NormBackward<T>& job,
                                 cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  const bool wide = job.dim % kVector<T> == 0 &&
                    all_aligned(job.grad, job.x, job.weight, job.grad_x);
  const auto kernel =
      wide ? norm_backward_kernel<kVector<T>, T> : norm_backward_kernel<1, T>;
  const auto blocks = static_cast<unsigned>(norm_backward_blocks(job.rows));
  kernel<<<blocks, kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template cudaError_t launch_norm_backward(const NormBackward<float>&,
                                          cudaStream_t);
template cudaError_t launch_norm_backward(const NormBackward<double>&,
                                          cudaStream_t);

}  // namespace ordered_gnn::cuda
