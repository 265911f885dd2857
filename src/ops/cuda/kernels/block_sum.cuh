#pragma once
#include "ops/cuda/kernels/warp.cuh"

namespace ordered_gnn::cuda {

/// The sum of all threads of the block, in every thread, in an order fixed by
/// the thread numbers. All threads must call it; the block is a number of whole
/// warps.
template <typename T>
__device__ __forceinline__ T block_sum(T value) {
  __shared__ T sums[kWarp];
  value = warp_sum(value);
  if (lane_id() == 0) sums[warp_id()] = value;
  __syncthreads();
  T total = T(0);
  for (int w = 0; w < warps_per_block(); ++w) total += sums[w];
  __syncthreads();  // another call uses the same memory
  return total;
}

}  // namespace ordered_gnn::cuda
