#pragma once
#include <cmath>
#include <cstdint>

#include "ops/cuda/kernels/rows/row_tile.cuh"
#include "ops/cuda/kernels/warp.cuh"

// A warp works on a row of gates in rounds of 32: lane l owns the gates c with
// c % 32 == l throughout, so what it keeps of them in shared memory needs no
// barrier until other lanes read it.
namespace ordered_gnn::cuda {

/// The row of the dropout mask that row v of a forward or backward job has.
template <typename Job>
__device__ __forceinline__ int64_t mask_row(const Job& job, int64_t v) {
  return job.nodes != nullptr ? job.nodes[v] : v;
}

/// Columns of a load: what 16 bytes hold, but never more than four, since few
/// gates have more columns.
template <typename S>
constexpr int kGatePack = kVector<S> < 4 ? kVector<S> : 4;

/// Whether all pointers allow loads of V neighbours; null ones do not matter.
template <int V, typename... Pointers>
bool packs_aligned(const Pointers*... pointers) {
  return (
      (reinterpret_cast<uintptr_t>(pointers) % (V * sizeof(Pointers)) == 0) &&
      ...);
}

/// p = softmax of a row of logits.
template <typename S>
__device__ __forceinline__ void softmax_row(const S* logits, int gates,
                                            Compute<S>* p) {
  using T = Compute<S>;
  T highest = -static_cast<T>(INFINITY);
  for (int c = lane_id(); c < gates; c += kWarp) {
    const T logit = to_compute(logits[c]);
    highest = max_of(highest, logit);
  }
  highest = warp_max(highest);
  T total = T(0);
  for (int c = lane_id(); c < gates; c += kWarp) {
    p[c] = exp_of(to_compute(logits[c]) - highest);
    total += p[c];
  }
  const T inverse = T(1) / warp_sum(total);
  for (int c = lane_id(); c < gates; c += kWarp) p[c] *= inverse;
}

__device__ __forceinline__ int rounds_of(int gates) {
  return (gates + kWarp - 1) / kWarp;
}

/// Calls f(c, sum of p[c ..]) for the lane's gates, the last round first.
template <typename T, typename F>
__device__ __forceinline__ void for_suffix_sums(const T* p, int gates,
                                                const F& f) {
  T carry = T(0);
  for (int round = rounds_of(gates) - 1; round >= 0; --round) {
    const int c = round * kWarp + lane_id();
    const T sum = suffix_sum(c < gates ? p[c] : T(0)) + carry;
    carry = __shfl_sync(kAllLanes, sum, 0);
    if (c < gates) f(c, sum);
  }
}

/// Calls f(c, sum of x[.. c]) for the lane's gates, the first round first; f
/// may change x[c].
template <typename T, typename F>
__device__ __forceinline__ void for_prefix_sums(const T* x, int gates,
                                                const F& f) {
  T carry = T(0);
  for (int round = 0; round < rounds_of(gates); ++round) {
    const int c = round * kWarp + lane_id();
    const T sum = prefix_sum(c < gates ? x[c] : T(0)) + carry;
    carry = __shfl_sync(kAllLanes, sum, kWarp - 1);
    if (c < gates) f(c, sum);
  }
}

}  // namespace ordered_gnn::cuda
