// Work split: a warp owns a row and, in a large matrix, one more after every
// other warp has had its turn.
// Memory: a row is read once into registers, while the rows before it are
// worked on, and written once. Weight and bias come from the L1 cache; where a
// row is one load of a warp they stay in registers. Rows of more than 256
// columns are read three times, or once where the statistics are known.
// Determinism: every row is summed in an order fixed by its width.
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/layer_norm.h"
#include "ops/cuda/kernels/rows/norm_row.cuh"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

// Blocks that one multiprocessor holds.
template <typename S>
constexpr int64_t kResident = sizeof(S) == 8   ? 3
                              : sizeof(S) == 4 ? 5
                                               : 4;
// Rows of a warp that are on their way. A row of 512 bytes is too little to
// keep the memory busy.
template <typename S>
constexpr int kAhead = sizeof(S) == 2 ? 3 : 1;

// Normalises, scales and drops the columns of a span that are in `x`.
template <int V, typename S, typename T>
__device__ __forceinline__ void finish_span(const NormForward<S>& job,
                                            int64_t v, int base,
                                            uint64_t counter_high,
                                            const RowStatistics<T>& stats,
                                            const T (&x)[kPerLane]) {
  const int64_t offset = v * job.dim;
  const T scale = static_cast<T>(job.mask.scale);
  const uint32_t kept =
      kept_tile<V>(job.mask, counter_high, offset, base, job.dim);
  for_packs<V>(base, job.dim, [&](int j, int column) {
    T weight[V], bias[V], y[V];
    load_pack<V>(job.weight + column, weight);
    load_pack<V>(job.bias + column, bias);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      const T value =
          (x[j + k] - stats.mean) * stats.rstd * (weight[k] * scale) +
          bias[k] * scale;
      y[k] = (kept >> (j + k) & 1u) != 0 ? value : T(0);
    }
    store_pack<V>(job.out + offset + column, y);
  });
}

// As finish_span() with the parameters in registers, for a row of one span.
template <int V, typename S, typename T>
__device__ __forceinline__ void finish_row(
    const NormForward<S>& job, int64_t v, uint64_t counter_high,
    const RowStatistics<T>& stats, const LaneParameters<V, T>& parameters,
    const T (&x)[kPerLane]) {
  const int64_t offset = v * job.dim;
  const uint32_t kept =
      kept_tile<V>(job.mask, counter_high, offset, 0, job.dim);
  T y[kPerLane];
  parameters.apply(stats, kept, x, y);
  for_packs<V>(0, job.dim, [&](int j, int column) {
    store_pack<V>(job.out + offset + column, y + j);
  });
}

// Rows of a warp, the next ones on their way.
template <int V, typename S>
struct RowsAhead {
  RawTile<V, S> tile[kAhead<S>];

  __device__ __forceinline__ void start(const NormForward<S>& job, int64_t v,
                                        int64_t stride) {
#pragma unroll
    for (int i = 0; i < kAhead<S>; ++i) load(job, v + i * stride, i);
  }
  // The next row, in whose place the one `kAhead` rows after v is asked for.
  __device__ __forceinline__ RawTile<V, S> take(const NormForward<S>& job,
                                                int64_t v, int64_t stride) {
    const RawTile<V, S> result = tile[0];
#pragma unroll
    for (int i = 1; i < kAhead<S>; ++i) tile[i - 1] = tile[i];
    load(job, v + kAhead<S> * stride, kAhead<S> - 1);
    return result;
  }

 private:
  __device__ __forceinline__ void load(const NormForward<S>& job, int64_t v,
                                       int i) {
    if (v < job.rows) tile[i].load(job.x + v * job.dim, 0, job.dim);
  }
};

// kDim is the width of the rows where it is known ahead, 0 elsewhere; kKnown is
// job.known.
template <int V, int kDim, bool kKnown, typename S>
__global__ void __launch_bounds__(kBlockThreads, kResident<S>)
    norm_forward_kernel(const NormForward<S> any_width) {
  using T = Compute<S>;
  // One load per lane and row leaves registers for the parameters.
  constexpr bool kHoldsParameters = kDim == kSpan && V == kPerLane;
  NormForward<S> job = any_width;
  if (kDim > 0) job.dim = kDim;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBlockWarps;
  int64_t v = static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
  if (v >= job.rows) return;  // whole warps leave, and there are no barriers
  const bool one_span = job.dim <= kSpan;
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  const LaneParameters<V, T> parameters(
      job.weight, job.bias, kHoldsParameters ? job.dim : 0, job.mask.scale);
  RowsAhead<V, S> ahead;
  if (one_span) ahead.start(job, v, stride);
  for (; v < job.rows; v += stride) {
    RawTile<V, S> tile;
    if (one_span) tile = ahead.take(job, v, stride);
    const auto load = [&](int base, T(&x)[kPerLane]) {
      if (!one_span) tile.load(job.x + v * job.dim, base, job.dim);
#pragma unroll
      for (int j = 0; j < kPerLane; ++j) {
        x[j] = job.relu ? relu_of(tile[j]) : tile[j];
      }
    };
    T x[kPerLane];
    RowStatistics<T> stats;
    if constexpr (kKnown) {
      stats = {job.mean[v], job.rstd[v]};
      if (one_span) load(0, x);
    } else {
      stats = row_statistics<V>(job.dim, job.eps, x, load);
      if (lane_id() == 0) {
        job.mean[v] = stats.mean;
        job.rstd[v] = stats.rstd;
      }
    }
    if constexpr (kHoldsParameters) {
      finish_row<V>(job, v, counter_high, stats, parameters, x);
    } else {
      for (int base = 0; base < job.dim; base += kSpan) {
        if (!one_span) load(base, x);
        finish_span<V>(job, v, base, counter_high, stats, x);
      }
    }
  }
}

template <bool kKnown, typename S>
auto kernel_for(const NormForward<S>& job) {
  const bool wide = job.dim % kVector<S> == 0 &&
                    all_aligned(job.x, job.weight, job.bias, job.out);
  return !wide              ? norm_forward_kernel<1, 0, kKnown, S>
         : job.dim == kSpan ? norm_forward_kernel<kVector<S>, kSpan, kKnown, S>
                            : norm_forward_kernel<kVector<S>, 0, kKnown, S>;
}

}  // namespace

template <typename S>
cudaError_t launch_norm_forward(const NormForward<S>& job,
                                cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  const auto kernel =
      job.known ? kernel_for<true>(job) : kernel_for<false>(job);
  const int64_t blocks = std::min(kResident<S> * kMultiprocessors,
                                  divided_up(job.rows, kBlockWarps));
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template cudaError_t launch_norm_forward(const NormForward<float>&,
                                         cudaStream_t);
template cudaError_t launch_norm_forward(const NormForward<double>&,
                                         cudaStream_t);
template cudaError_t launch_norm_forward(const NormForward<__nv_bfloat16>&,
                                         cudaStream_t);

}  // namespace ordered_gnn::cuda
