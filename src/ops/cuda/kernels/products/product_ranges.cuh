#pragma once
#include <cstdint>

#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/products/product.h"
#include "ops/cuda/kernels/rows/partial_sums.cuh"

// The second pass of a product whose k is split into ranges.
namespace ordered_gnn::cuda {

constexpr int kRangeSumLanes = 8;

/// to = sum over ranges of partial [ranges, m, n] (+ bias over rows) (+ to);
/// `to` and what is added are transposed, [n, m], when turned.
struct RangeSum {
  const float* partial;
  int64_t ranges;
  int64_t size;  // m n
  int64_t n;
  bool turned;
  float* to;
  int64_t pitch;  // elements from row to row of `to`
  const float* bias;
  bool accumulate;
};

/// A template, so that several files may have it. The first blocks, whose sums
/// are the longer ones, do what comes along.
template <int kLanes>
__global__ void __launch_bounds__(32 * kLanes)
    add_ranges_kernel(const RangeSum job, const PartialSums<float> along,
                      unsigned along_blocks) {
  if (blockIdx.x < along_blocks) {
    __shared__ PartialTile<float> shares;
    sum_partial_tile<kLanes>(
        along, static_cast<int64_t>(blockIdx.x) * kPartialTile, shares);
    return;
  }
  __shared__ float parts[kLanes][32];
  const auto x = threadIdx.x, y = threadIdx.y;
  const int64_t i = static_cast<int64_t>(blockIdx.x - along_blocks) * 32 + x;
  float sum = 0.0f;
  if (i < job.size) {
#pragma unroll 4
    for (int64_t range = y; range < job.ranges; range += kLanes) {
      sum += job.partial[range * job.size + i];
    }
  }
  parts[y][x] = sum;
  __syncthreads();
  if (y != 0 || i >= job.size) return;
  for (int lane = 1; lane < kLanes; ++lane) sum += parts[lane][x];
  const int64_t row = job.turned ? i % job.n : i / job.n;
  const int64_t column = job.turned ? i / job.n : i % job.n;
  float& c = job.to[row * job.pitch + column];
  if (job.bias != nullptr) sum += job.bias[column];
  c = job.accumulate ? c + sum : sum;
}

/// job.c from the partial sums in job.workspace, which may be those of its
/// transpose, and job.along.
inline cudaError_t launch_add_ranges(const Product& job, int64_t ranges,
                                     bool turned, cudaStream_t stream) {
  const int64_t size = job.m * job.n;
  const auto along_blocks =
      static_cast<unsigned>(divided_up(job.along.columns, kPartialTile));
  const auto grid = static_cast<unsigned>(divided_up(size, 32)) + along_blocks;
  const RangeSum sum = {
      job.workspace, ranges,      size,     turned ? job.m : job.n, turned,
      job.c,         job.c_pitch, job.bias, job.accumulate};
  add_ranges_kernel<kRangeSumLanes>
      <<<grid, dim3(32, kRangeSumLanes), 0, stream>>>(sum, job.along,
                                                      along_blocks);
  return cudaGetLastError();
}

/// What is left to do once the tiles of a product are launched.
inline cudaError_t finish_product(const Product& job, int64_t ranges,
                                  cudaStream_t stream, bool turned = false) {
  return ranges == 1 ? launch_sum_partials(job.along, stream)
                     : launch_add_ranges(job, ranges, turned, stream);
}

}  // namespace ordered_gnn::cuda
