// Work split: eight lanes own a node, a whole warp when there are many classes;
// blocks walk over the nodes of all three parts.
// Memory: a row of logits is read once; a block counts in shared memory where
// the counts fit and adds its own to the total at the end.
// Determinism: counts are integers, so the order of the atomics is immaterial.
#include <climits>
#include <cmath>

#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/warp.cuh"
#include "train/cuda/kernels/scores.h"

namespace ordered_gnn::cuda {
namespace {

constexpr int kFewClasses = 64;  // up to which eight lanes share a node
constexpr int kFewLanes = 8;
// Large blocks: every block adds its counts to the same few addresses.
constexpr int kScoreThreads = 512;

using Counter = unsigned long long;  // the atomics' name for 64 bits

template <typename T>
struct Best {
  T value;
  int index;
};

template <typename T>
__device__ __forceinline__ bool beats(const Best<T>& a, const Best<T>& b) {
  const bool a_nan = isnan(a.value), b_nan = isnan(b.value);
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a.value != b.value) return a.value > b.value;
  return a.index < b.index;
}

// Of the row that L neighbouring lanes share; all lanes of the warp must call
// it, those without a row with no classes.
template <int L, typename T>
__device__ __forceinline__ int predicted(const T* row, int classes) {
  Best<T> best = {static_cast<T>(-INFINITY), INT_MAX};
  for (int c = lane_id() % L; c < classes; c += L) {
    const Best<T> other = {row[c], c};
    if (beats(other, best)) best = other;
  }
#pragma unroll
  for (int offset = L / 2; offset > 0; offset /= 2) {
    const Best<T> other = {__shfl_xor_sync(kAllLanes, best.value, offset),
                           __shfl_xor_sync(kAllLanes, best.index, offset)};
    if (beats(other, best)) best = other;
  }
  return best.index;
}

// Calls count(slot) for every slot of [3][2][classes] a node adds to.
template <int L, typename T, typename Count>
__device__ __forceinline__ void walk(const ScoreCounts<T>& job,
                                     const Count& count) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * (kScoreThreads / L);
  const int64_t warp =
      static_cast<int64_t>(blockIdx.x) * warps_per_block() + warp_id();
  const int64_t nodes = job.ends[kParts - 1];
  for (int64_t first = warp * (kWarp / L); first < nodes; first += stride) {
    const int64_t i = first + lane_id() / L;
    const bool known = i < nodes;
    const T* const row =
        known ? job.logits + job.nodes[i] * job.classes : nullptr;
    const int guess = predicted<L>(row, known ? job.classes : 0);
    if (lane_id() % L != 0 || !known) continue;
    const int part = (i >= job.ends[0] ? 1 : 0) + (i >= job.ends[1] ? 1 : 0);
    const int64_t hits = static_cast<int64_t>(part) * 2 * job.classes;
    if (job.labels[i] == guess) count(hits + guess);
    count(hits + job.classes + guess);
  }
}

template <int L, typename T>
__global__ void __launch_bounds__(kScoreThreads)
    shared_counts_kernel(const ScoreCounts<T> job) {
  extern __shared__ unsigned shared_counts[];
  const int size = static_cast<int>(score_counts(job.classes));
  for (int s = static_cast<int>(threadIdx.x); s < size; s += kScoreThreads) {
    shared_counts[s] = 0;
  }
  __syncthreads();
  walk<L>(job, [](int64_t slot) { atomicAdd(shared_counts + slot, 1u); });
  __syncthreads();
  for (int s = static_cast<int>(threadIdx.x); s < size; s += kScoreThreads) {
    if (shared_counts[s] == 0) continue;
    atomicAdd(reinterpret_cast<Counter*>(job.counts) + s,
              static_cast<Counter>(shared_counts[s]));
  }
}

template <int L, typename T>
__global__ void __launch_bounds__(kScoreThreads)
    global_counts_kernel(const ScoreCounts<T> job) {
  Counter* const counts = reinterpret_cast<Counter*>(job.counts);
  walk<L>(job,
          [counts](int64_t slot) { atomicAdd(counts + slot, Counter{1}); });
}

}  // namespace

template <typename T>
cudaError_t launch_score_counts(const ScoreCounts<T>& job,
                                cudaStream_t stream) {
  const int64_t nodes = job.ends[kParts - 1];
  if (nodes == 0) return cudaSuccess;
  const bool few = job.classes <= kFewClasses;
  const int64_t in_block = kScoreThreads / (few ? kFewLanes : kWarp);
  const int64_t blocks = std::min(kSumBlocks, divided_up(nodes, in_block));
  const auto bytes =
      static_cast<size_t>(score_counts(job.classes)) * sizeof(unsigned);
  const auto grid = static_cast<unsigned>(blocks);
  if (bytes > static_cast<size_t>(kSharedBytes)) {
    global_counts_kernel<kWarp, T><<<grid, kScoreThreads, 0, stream>>>(job);
    return cudaGetLastError();
  }
  const auto kernel =
      few ? shared_counts_kernel<kFewLanes, T> : shared_counts_kernel<kWarp, T>;
  kernel<<<grid, kScoreThreads, bytes, stream>>>(job);
  return cudaGetLastError();
}

template cudaError_t launch_score_counts(const ScoreCounts<float>&,
                                         cudaStream_t);
template cudaError_t launch_score_counts(const ScoreCounts<double>&,
                                         cudaStream_t);

}  // namespace ordered_gnn::cuda
