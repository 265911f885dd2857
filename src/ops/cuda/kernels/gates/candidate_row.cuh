#pragma once
#include "ops/cuda/kernels/gates/candidate.h"
#include "ops/cuda/kernels/rows/norm_row.cuh"
#include "ops/cuda/kernels/rows/row_tile.cuh"

// The norms of a row of one span, which a warp holds in registers. Slots past
// the end of the row stay as they are.
namespace ordered_gnn::cuda {

static_assert(kCandidateDim == kSpan, "a row is one span");

/// x becomes (x - mean) * rstd; `stats` are those of the row, which a norm over
/// columns does not read. Over nothing x stays as it is.
template <int V, typename T>
__device__ __forceinline__ void standardize(const NormJob<T>& norm,
                                            const RowStatistics<T>& stats,
                                            int dim, T (&x)[kPerLane]) {
  if (norm.over == NormOver::nothing) return;
  for_packs<V>(0, dim, [&](int j, int column) {
    T mean[V], rstd[V];
    if (norm.over == NormOver::columns) {
      load_pack<V>(norm.mean + column, mean);
      load_pack<V>(norm.rstd + column, rstd);
    } else {
#pragma unroll
      for (int k = 0; k < V; ++k) {
        mean[k] = stats.mean;
        rstd[k] = stats.rstd;
      }
    }
#pragma unroll
    for (int k = 0; k < V; ++k) x[j + k] = (x[j + k] - mean[k]) * rstd[k];
  });
}

/// y = x * weight + bias of the norm; y = x over nothing.
template <int V, typename T>
__device__ __forceinline__ void scale_and_shift(const NormJob<T>& norm, int dim,
                                                const T (&x)[kPerLane],
                                                T (&y)[kPerLane]) {
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) y[j] = x[j];
  if (norm.over == NormOver::nothing) return;
  for_packs<V>(0, dim, [&](int j, int column) {
    T weight[V], bias[V];
    load_pack<V>(norm.weight + column, weight);
    load_pack<V>(norm.bias + column, bias);
#pragma unroll
    for (int k = 0; k < V; ++k) y[j + k] = x[j + k] * weight[k] + bias[k];
  });
}

/// What forward left of row v.
template <typename T>
__device__ __forceinline__ RowStatistics<T> kept_statistics(
    const NormJob<T>& norm, int64_t v) {
  if (norm.over != NormOver::row) return {T(0), T(1)};
  return {norm.mean[v], norm.rstd[v]};
}

}  // namespace ordered_gnn::cuda
