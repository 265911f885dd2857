// Work split: a warp owns a row, from its logits to the finished state.
// Memory: h, the rows before the candidate's norm, logits and the gate before
// are read once, gate and state are written once; candidate and blend stay in
// registers, the gates of a row in shared memory.
// Determinism: sums run in an order fixed by the numbers of gates and columns.
#include "ops/cuda/kernels/gates/candidate_row.cuh"
#include "ops/cuda/kernels/gates/gate_forward_row.cuh"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"

namespace ordered_gnn::cuda {
namespace {

// x becomes norm(x); the statistics of a norm over the row are stored.
template <int V, typename T>
__device__ __forceinline__ void normalize(const NormJob<T>& norm, int64_t v,
                                          int dim, double eps,
                                          T (&x)[kPerLane]) {
  if (norm.over == NormOver::nothing) return;
  RowStatistics<T> stats = {T(0), T(1)};
  if (norm.over == NormOver::row) {
    stats = row_statistics<V>(dim, eps, x, [](int, T(&)[kPerLane]) {});
    if (lane_id() == 0) {
      norm.mean[v] = stats.mean;
      norm.rstd[v] = stats.rstd;
    }
  }
  standardize<V>(norm, stats, dim, x);
  scale_and_shift<V>(norm, dim, x, x);
}

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    candidate_forward_kernel(const CandidateForward<S> job) {
  using T = Compute<S>;
  extern __shared__ __align__(16) unsigned char shared[];
  T* const gate = reinterpret_cast<T*>(shared) + warp_id() * job.gates;
  const int64_t v =
      static_cast<int64_t>(blockIdx.x) * warps_per_block() + warp_id();
  if (v >= job.rows) return;  // whole warps leave, and there are no barriers
  // Asked for before the gates are computed, so that they arrive meanwhile.
  T h[kPerLane], x[kPerLane];
  load_tile<V>(job.h + v * job.dim, 0, job.dim, h);
  load_tile<V>(job.m + v * job.dim, 0, job.dim, x);
  open_gates<S>(job, v, gate);
  normalize<V>(job.candidate, v, job.dim, job.eps, x);
  const int repeat = job.dim / job.gates;
  for_packs<V>(0, job.dim, [&](int j, int column) {
    const T g = gate[column / repeat];
#pragma unroll
    for (int k = 0; k < V; ++k) {
      const T c = relu_of(x[j + k]);
      x[j + k] = c + g * (h[j + k] - c);
    }
  });
  normalize<V>(job.norm, v, job.dim, job.eps, x);
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  const uint32_t kept =
      kept_tile<V>(job.mask, counter_high, v * job.dim, 0, job.dim);
  const T scale = static_cast<T>(job.mask.scale);
  for_packs<V>(0, job.dim, [&](int j, int column) {
#pragma unroll
    for (int k = 0; k < V; ++k) {
      x[j + k] = (kept >> (j + k) & 1u) != 0 ? x[j + k] * scale : T(0);
    }
    store_pack<V>(job.out + v * job.dim + column, x + j);
  });
}

}  // namespace

template <typename S>
cudaError_t launch_candidate_forward(const CandidateForward<S>& job,
                                     cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  if (job.gates < 1 || job.gates > kMaxGates || job.dim > kCandidateDim) {
    return cudaErrorInvalidValue;
  }
  constexpr int V = kGatePack<S>;
  // A pack must not cross from one gate to the next.
  const bool wide =
      job.dim / job.gates % V == 0 &&
      packs_aligned<V>(job.h, job.m, job.out, job.candidate.weight,
                       job.candidate.bias, job.norm.weight, job.norm.bias) &&
      (job.candidate.over != NormOver::columns ||
       packs_aligned<V>(job.candidate.mean, job.candidate.rstd)) &&
      (job.norm.over != NormOver::columns ||
       packs_aligned<V>(job.norm.mean, job.norm.rstd));
  const int64_t warp_bytes =
      job.gates * static_cast<int64_t>(sizeof(Compute<S>));
  const int64_t warps =
      std::min<int64_t>(kBlockWarps, kSharedBytes / warp_bytes);
  const auto kernel =
      wide ? candidate_forward_kernel<V, S> : candidate_forward_kernel<1, S>;
  kernel<<<static_cast<unsigned>(divided_up(job.rows, warps)),
           static_cast<unsigned>(warps * kWarp),
           static_cast<size_t>(warps * warp_bytes), stream>>>(job);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(S)                                          \
  template cudaError_t launch_candidate_forward(const CandidateForward<S>&, \
                                                cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16)

}  // namespace ordered_gnn::cuda
