// Work split: a fixed number of blocks whose warps walk through the rows, a
// warp per row; a second kernel (column_sums.cu) adds up the blocks' shares.
// Memory: x and the gradient are read once, while the row before is worked on,
// and grad_x is written once, as is the output where it is asked for; a
// lane keeps the sums of its columns in registers over all rows of its warp.
// Rows of more than 256 columns are read three times. Determinism: which rows a
// warp owns follows from the number of rows; sums run in row order within a
// warp and in the order of warps within a block.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/layer_norm.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

// Blocks that one multiprocessor holds, and that all of an H200 do: with more,
// the last ones would run while most of the device has nothing left to do.
template <typename S>
constexpr int kResident = sizeof(S) > 4 ? 1 : 2;
constexpr int64_t kBackwardBlocks = 2 * kMultiprocessors;
static_assert(kNormInPlaceDim <= kSpan, "longer rows are read again");

// A span of a row as it comes from memory.
template <int V, typename S>
struct NormTile {
  RawTile<V, S> grad;
  RawTile<V, S> x;
  Compute<S> mean;
  Compute<S> rstd;

  __device__ __forceinline__ void load(const NormBackward<S>& job, int64_t v,
                                       int base) {
    grad.load(job.grad + v * job.dim, base, job.dim);
    x.load(job.x + v * job.dim, base, job.dim);
    mean = job.mean[v];
    rstd = job.rstd[v];
  }
};

// The gradient after dropout was undone, and the input as it was normalised.
// Zeros past the end of the row.
template <typename T>
struct NormSpan {
  T grad[kPerLane];
  T normalized[kPerLane];
  uint32_t kept;  // bit j: dropout let slot j through
  uint32_t cut;   // bit j: relu let nothing through in slot j
};

template <int V, typename S, typename T>
__device__ __forceinline__ void unpack(const NormBackward<S>& job, int64_t v,
                                       int base, uint64_t counter_high,
                                       const NormTile<V, S>& tile,
                                       NormSpan<T>& span) {
  const T scale = static_cast<T>(job.mask.scale);
  span.kept = kept_tile<V>(job.mask, counter_high, v * job.dim, base, job.dim);
  span.cut = 0;
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    span.grad[j] = (span.kept >> j & 1u) != 0 ? tile.grad[j] * scale : T(0);
    span.normalized[j] = T(0);
  }
  for_packs<V>(base, job.dim, [&](int j, int) {
#pragma unroll
    for (int k = 0; k < V; ++k) {
      const T x = tile.x[j + k];
      const T input = job.relu ? relu_of(x) : x;
      span.normalized[j + k] = (input - tile.mean) * tile.rstd;
      span.cut |= (job.relu && x <= T(0) ? 1u : 0u) << (j + k);
    }
  });
}

template <typename T>
struct ColumnSums {
  T weight[kPerLane];
  T bias[kPerLane];
  T grad_x[kPerLane];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) weight[j] = bias[j] = grad_x[j] = T(0);
  }
  __device__ __forceinline__ void add(const NormSpan<T>& span) {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      weight[j] += span.grad[j] * span.normalized[j];
      bias[j] += span.grad[j];
    }
  }
};

// Writes the pack of the output that starts in slot j, as the forward pass did.
template <int V, typename S, typename T>
__device__ __forceinline__ void restore(const NormBackward<S>& job, S* out,
                                        int column, const NormSpan<T>& span,
                                        int j, const T (&weight)[V]) {
  T bias[V], y[V];
  load_pack<V>(job.bias + column, bias);
  const T scale = static_cast<T>(job.mask.scale);
#pragma unroll
  for (int k = 0; k < V; ++k) {
    const T value =
        span.normalized[j + k] * (weight[k] * scale) + bias[k] * scale;
    y[k] = (span.kept >> (j + k) & 1u) != 0 ? value : T(0);
  }
  store_pack<V>(out + column, y);
}

// Writes grad_x of a row and the output. `tile` holds a row of one span, which
// is left in `span` and added to `sums`; the spans of longer rows are loaded
// here.
template <int V, typename S, typename T>
__device__ __forceinline__ void undo_row(const NormBackward<S>& job, int64_t v,
                                         uint64_t counter_high,
                                         NormTile<V, S>& tile,
                                         NormSpan<T>& span,
                                         ColumnSums<T>& sums) {
  const bool one_span = job.dim <= kSpan;
  T sum = T(0), product = T(0);
  for (int base = 0; base < job.dim; base += kSpan) {
    if (!one_span) tile.load(job, v, base);
    unpack(job, v, base, counter_high, tile, span);
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
  S* const grad_x = job.grad_x + v * job.dim;
  for (int base = 0; base < job.dim; base += kSpan) {
    if (!one_span) {
      tile.load(job, v, base);
      unpack(job, v, base, counter_high, tile, span);
    }
    for_packs<V>(base, job.dim, [&](int j, int column) {
      T weight[V], result[V];
      load_pack<V>(job.weight + column, weight);
#pragma unroll
      for (int k = 0; k < V; ++k) {
        const T value = tile.rstd * (span.grad[j + k] * weight[k] - mean_grad -
                                     span.normalized[j + k] * correlation);
        result[k] = (span.cut >> (j + k) & 1u) != 0 ? T(0) : value;
        sums.grad_x[j + k] += result[k];
      }
      store_pack<V>(grad_x + column, result);
      if (job.out != nullptr) {
        restore<V>(job, job.out + v * job.dim, column, span, j, weight);
      }
    });
  }
  if (one_span && job.of_parameters) sums.add(span);
}

// The sums of a span of longer rows, whose grad_x are written.
template <int V, typename S, typename T>
__device__ __forceinline__ void add_span(const NormBackward<S>& job, int64_t v,
                                         int base, uint64_t counter_high,
                                         ColumnSums<T>& sums) {
  NormTile<V, S> tile;
  NormSpan<T> span;
  tile.load(job, v, base);
  unpack(job, v, base, counter_high, tile, span);
  if (job.of_parameters) sums.add(span);
  T written[kPerLane];
  load_tile<V>(job.grad_x + v * job.dim, base, job.dim, written);
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) sums.grad_x[j] += written[j];
}

// kDim is the width of the rows where it is known ahead, 0 elsewhere.
template <int V, int kDim, typename S>
__global__ void __launch_bounds__(kBlockThreads, kResident<S>)
    norm_backward_kernel(const NormBackward<S> any_width) {
  using T = Compute<S>;
  NormBackward<S> job = any_width;
  if (kDim > 0) job.dim = kDim;
  __shared__ T parts[kBlockWarps][kSpan];
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBlockWarps;
  T* const shares =
      job.partial + static_cast<int64_t>(blockIdx.x) * 3 * job.dim;
  const bool one_span = job.dim <= kSpan;
  NormTile<V, S> next;
  NormSpan<T> span;
  ColumnSums<T> sums;
  sums.clear();
  if (first < job.rows) next.load(job, first, 0);
  for (int64_t v = first; v < job.rows; v += stride) {
    NormTile<V, S> tile = next;
    if (one_span && v + stride < job.rows) next.load(job, v + stride, 0);
    undo_row(job, v, counter_high, tile, span, sums);
  }
  for (int base = 0; base < job.dim; base += kSpan) {
    if (!one_span) {
      sums.clear();
      for (int64_t v = first; v < job.rows; v += stride) {
        add_span<V>(job, v, base, counter_high, sums);
      }
    }
    const WarpParts<T> all = {parts[warp_id()], parts[0], kSpan};
    store_column_sums<V>(sums.weight, all, base, job.dim, shares);
    store_column_sums<V>(sums.bias, all, base, job.dim, shares + job.dim);
    store_column_sums<V>(sums.grad_x, all, base, job.dim, shares + 2 * job.dim);
  }
}

}  // namespace

int64_t norm_backward_blocks(int64_t rows) {
  return std::min(kBackwardBlocks, divided_up(rows, kBlockWarps));
}

template <typename S>
cudaError_t launch_norm_backward(const NormBackward<S>& job,
                                 cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  const bool wide =
      job.dim % kVector<S> == 0 &&
      all_aligned(job.grad, job.x, job.weight, job.bias, job.grad_x, job.out);
  const auto kernel = !wide ? norm_backward_kernel<1, 0, S>
                      : job.dim == kSpan
                          ? norm_backward_kernel<kVector<S>, kSpan, S>
                          : norm_backward_kernel<kVector<S>, 0, S>;
  const auto blocks = static_cast<unsigned>(norm_backward_blocks(job.rows));
  kernel<<<blocks, kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template cudaError_t launch_norm_backward(const NormBackward<float>&,
                                          cudaStream_t);
template cudaError_t launch_norm_backward(const NormBackward<double>&,
                                          cudaStream_t);
template cudaError_t launch_norm_backward(const NormBackward<__nv_bfloat16>&,
                                          cudaStream_t);

}  // namespace ordered_gnn::cuda
