// Work split: a block compares kBlockThreads nodes of class 1, one per thread,
// with as many of class 0; blocks walk over the tiles of all pairs of a part.
// Memory: the scores of class 0 of a tile are in shared memory, read by all
// threads at once.
// Determinism: counts are integers, so the order of the atomics is immaterial.
#include <cmath>

#include "ops/cuda/kernels/block_sum.cuh"
#include "ops/cuda/kernels/launch.h"
#include "train/cuda/kernels/scores.h"

namespace ordered_gnn::cuda {
namespace {

using PairCounter = unsigned long long;  // the atomics' name for 64 bits

template <typename T>
__device__ __forceinline__ T score_of(const PairCounts<T>& job, int64_t i) {
  const T* const row = job.logits + 2 * job.nodes[i];
  return row[1] - row[0];
}

// The nodes of a class of a part.
struct NodeRange {
  int64_t begin, end;

  __host__ __device__ int64_t tiles() const {
    return (end - begin + kBlockThreads - 1) / kBlockThreads;
  }
  __device__ int64_t tile_begin(int64_t tile) const {
    return begin + tile * kBlockThreads;
  }
  __device__ int tile_size(int64_t tile) const {
    const int64_t left = end - tile_begin(tile);
    return left < kBlockThreads ? static_cast<int>(left) : kBlockThreads;
  }
};

template <typename T>
__host__ __device__ NodeRange negatives_of(const PairCounts<T>& job, int part) {
  return {part == 0 ? 0 : job.ends[part - 1], job.positives[part]};
}

template <typename T>
__host__ __device__ NodeRange positives_of(const PairCounts<T>& job, int part) {
  return {job.positives[part], job.ends[part]};
}

template <typename T>
__global__ void __launch_bounds__(kBlockThreads)
    pair_counts_kernel(const PairCounts<T> job) {
  __shared__ T lower[kBlockThreads];
  const int part = static_cast<int>(blockIdx.y);
  const NodeRange negatives = negatives_of(job, part);
  const NodeRange positives = positives_of(job, part);
  const int64_t across = negatives.tiles();
  const int64_t tiles = across * positives.tiles();
  const int thread = static_cast<int>(threadIdx.x);
  int64_t pairs = 0, nans = 0;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t row = tile / across, col = tile % across;
    const int size = negatives.tile_size(col);
    if (thread < size) {
      lower[thread] = score_of(job, negatives.tile_begin(col) + thread);
      nans += isnan(lower[thread]) ? 1 : 0;
    }
    __syncthreads();
    if (thread < positives.tile_size(row)) {
      const T score = score_of(job, positives.tile_begin(row) + thread);
      nans += isnan(score) ? 1 : 0;
      int here = 0;
      for (int i = 0; i < size; ++i) {
        here += (score > lower[i] ? 2 : 0) + (score == lower[i] ? 1 : 0);
      }
      pairs += here;
    }
    __syncthreads();
  }
  pairs = block_sum(pairs);
  nans = block_sum(nans);
  if (thread != 0) return;
  PairCounter* const out = reinterpret_cast<PairCounter*>(job.pairs) +
                           2 * static_cast<int64_t>(part);
  if (pairs != 0) atomicAdd(out, static_cast<PairCounter>(pairs));
  if (nans != 0) atomicAdd(out + 1, static_cast<PairCounter>(nans));
}

}  // namespace

template <typename T>
cudaError_t launch_pair_counts(const PairCounts<T>& job, cudaStream_t stream) {
  int64_t tiles = 0;
  for (int part = 0; part < kParts; ++part) {
    tiles = std::max(tiles, negatives_of(job, part).tiles() *
                                positives_of(job, part).tiles());
  }
  if (tiles == 0) return cudaSuccess;
  const dim3 grid(static_cast<unsigned>(std::min(kSumBlocks, tiles)), kParts);
  pair_counts_kernel<T><<<grid, kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template cudaError_t launch_pair_counts(const PairCounts<float>&, cudaStream_t);
template cudaError_t launch_pair_counts(const PairCounts<double>&,
                                        cudaStream_t);

}  // namespace ordered_gnn::cuda
