#pragma once
#include "ops/cuda/kernels/rows/column_sums.h"

// Device side of launch_sum_partials(), for kernels that do it along.
namespace ordered_gnn::cuda {

/// Columns of a block, and shares of the partial sums that it adds up apart.
constexpr int kPartialTile = 32;

template <typename T>
using PartialTile = T[kPartialTile][kPartialTile + 1];

/// Where column `column` of the targets lies.
template <typename T>
__device__ __forceinline__ T& target_of(const SumTargets<T>& targets,
                                        int64_t column) {
  T* out = targets.out[0];
  int64_t begin = 0;
#pragma unroll
  for (int t = 1; t < SumTargets<T>::kMost; ++t) {
    if (t < targets.count && column >= targets.end[t - 1]) {
      out = targets.out[t];
      begin = targets.end[t - 1];
    }
  }
  return out[column - begin];
}

/// kPartialTile columns from `first` on, by a block of kPartialTile x kLanes
/// threads, all of which must call it. The order of a sum does not depend on
/// kLanes, which divides kPartialTile.
template <int kLanes, typename T>
__device__ __forceinline__ void sum_partial_tile(const PartialSums<T>& job,
                                                 int64_t first,
                                                 PartialTile<T>& parts) {
  constexpr int kShares = kPartialTile / kLanes;
  const int x = static_cast<int>(threadIdx.x),
            y = static_cast<int>(threadIdx.y);
  const int64_t column = first + x;
  T sum[kShares] = {};
  if (column < job.columns) {
    for (int64_t base = y; base < job.blocks; base += kPartialTile) {
#pragma unroll
      for (int i = 0; i < kShares; ++i) {
        const int64_t b = base + i * kLanes;
        if (b < job.blocks) sum[i] += job.partial[b * job.columns + column];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kShares; ++i) parts[y + i * kLanes][x] = sum[i];
  __syncthreads();
  if (y != 0 || column >= job.columns) return;
  T total = T(0);
  for (int i = 0; i < kPartialTile; ++i) total += parts[i][x];
  target_of(job.targets, column) = total;
}

}  // namespace ordered_gnn::cuda
