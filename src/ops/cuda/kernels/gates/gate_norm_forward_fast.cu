// Work split: a fixed number of blocks whose warps walk through the rows, a
// warp per row, from its logits to the finished state; see gate_fast.cuh for
// what a lane owns. Memory: h, m, logits and the gate before are read once, one
// row ahead; gate and state are written once; all else stays in registers.
// Determinism: every row is computed from its own inputs, in an order fixed by
// the layout.
#include "ops/cuda/kernels/gates/gate_fast.cuh"
#include "ops/cuda/kernels/launch.h"

namespace ordered_gnn::cuda {
namespace {

// Blocks that one multiprocessor holds: so many that the norm's parameters stay
// in registers.
template <typename S>
constexpr int64_t kResident = sizeof(S) == 2 ? 4 : 3;
template <typename S>
constexpr int64_t kBlocks = kMultiprocessors* kResident<S>;

// What a row is computed from.
template <bool kSoftor, typename S>
struct ForwardRow {
  StoredGates<S> logits, prev_gate;
  FastRow<S> h, m;

  __device__ __forceinline__ void load_gates(const GateNormForward<S>& job,
                                             int64_t v) {
    logits.load(job.logits, v);
    if constexpr (kSoftor) prev_gate.load(job.prev_gate, v);
  }
  __device__ __forceinline__ void load_state(const GateNormForward<S>& job,
                                             int64_t v) {
    h.load(job.h, v);
    m.load(job.m, v);
  }
};

template <bool kSoftor, typename S>
__device__ __forceinline__ StoredGates<S> open_gates(
    const ForwardRow<kSoftor, S>& row) {
  using T = Compute<S>;
  const OrderedGates<T> gates = ordered_gates(row.logits);
  T gate[kLaneGates];
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    gate[i] = gates.open[i];
    if constexpr (kSoftor) {
      const T before = row.prev_gate[i];
      gate[i] = before + (T(1) - before) * gate[i];
    }
  }
  StoredGates<S> result;
  result.set(gate);
  return result;
}

template <typename S>
using FastParameters = LaneParameters<kFastPack<S>, Compute<S>>;

template <typename S>
__device__ __forceinline__ void finish_row(const GateNormForward<S>& job,
                                           int64_t v, uint64_t counter_high,
                                           const FastParameters<S>& parameters,
                                           Compute<S> (&x)[kPerLane]) {
  using T = Compute<S>;
  const uint32_t kept = kept_row<S>(job.mask, counter_high, mask_row(job, v));
  const RowStatistics<T> stats = row_statistics<kFastPack<S>>(
      kFastDim, job.eps, x, [](int, T(&)[kPerLane]) {});
  if (lane_id() == 0) {
    job.mean[v] = stats.mean;
    job.rstd[v] = stats.rstd;
  }
  parameters.apply(stats, kept, x, x);
  store_row(job.out + v * kFastDim, x);
}

template <bool kSoftor, typename S>
__global__ void __launch_bounds__(kBlockThreads, kResident<S>)
    gate_norm_forward_fast_kernel(const GateNormForward<S> job) {
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBlockWarps;
  if (first >= job.rows) return;  // a whole warp; there are no barriers
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  const FastParameters<S> parameters(job.norm_weight, job.norm_bias, kFastDim,
                                     job.mask.scale);
  ForwardRow<kSoftor, S> row;
  row.load_gates(job, first);
  row.load_state(job, first);
  for (int64_t v = first; v < job.rows; v += stride) {
    const bool more = v + stride < job.rows;
    const StoredGates<S> gate = open_gates(row);
    if (more) row.load_gates(job, v + stride);
    gate.store(job.gate, v);
    Compute<S> x[kPerLane];
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      x[j] = row.m[j] + gate[j / kFastColumns] * (row.h[j] - row.m[j]);
    }
    if (more) row.load_state(job, v + stride);
    finish_row(job, v, counter_high, parameters, x);
  }
}

}  // namespace

template <typename S>
cudaError_t launch_gate_norm_forward_fast(const GateNormForward<S>& job,
                                          cudaStream_t stream) {
  const int64_t blocks =
      std::min(kBlocks<S>, divided_up(job.rows, kBlockWarps));
  const auto kernel = job.mode == GateMode::softor
                          ? gate_norm_forward_fast_kernel<true, S>
                          : gate_norm_forward_fast_kernel<false, S>;
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template cudaError_t launch_gate_norm_forward_fast(
    const GateNormForward<float>&, cudaStream_t);
template cudaError_t launch_gate_norm_forward_fast(
    const GateNormForward<__nv_bfloat16>&, cudaStream_t);

}  // namespace ordered_gnn::cuda
