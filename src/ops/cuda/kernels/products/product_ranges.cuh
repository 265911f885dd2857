#pragma once
#include <cstdint>

#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/products/product.h"

// The second pass of a product whose k is split into ranges.
namespace ordered_gnn::cuda {

constexpr int kRangeSumLanes = 8;

/// c = sum over ranges of partial [ranges, m, n] (+ bias over rows) (+ c). A
/// template, so that several files may have it.
template <int kLanes>
__global__ void __launch_bounds__(32 * kLanes)
    add_ranges_kernel(const float* partial, int64_t ranges, int64_t size,
                      int64_t n, float* to, int64_t pitch, const float* bias,
                      bool accumulate) {
  __shared__ float parts[kLanes][32];
  const auto x = threadIdx.x, y = threadIdx.y;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * 32 + x;
  float sum = 0.0f;
  if (i < size) {
#pragma unroll 4
    for (int64_t range = y; range < ranges; range += kLanes) {
      sum += partial[range * size + i];
    }
  }
  parts[y][x] = sum;
  __syncthreads();
  if (y != 0 || i >= size) return;
  for (int lane = 1; lane < kLanes; ++lane) sum += parts[lane][x];
  const int64_t column = i % n;
  float& c = to[i / n * pitch + column];
  if (bias != nullptr) sum += bias[column];
  c = accumulate ? c + sum : sum;
}

/// job.c from the partial sums in job.workspace.
inline cudaError_t launch_add_ranges(const Product& job, int64_t ranges,
                                     cudaStream_t stream) {
  const int64_t size = job.m * job.n;
  const auto grid = static_cast<unsigned>(divided_up(size, 32));
  add_ranges_kernel<kRangeSumLanes>
      <<<grid, dim3(32, kRangeSumLanes), 0, stream>>>(
          job.workspace, ranges, size, job.n, job.c, job.c_pitch, job.bias,
          job.accumulate);
  return cudaGetLastError();
}

}  // namespace ordered_gnn::cuda
