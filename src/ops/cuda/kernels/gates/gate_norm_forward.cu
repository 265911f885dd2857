// Work split: a warp owns a row, from its logits to the finished state.
// Memory: h, m, logits and the gate before are read once, gate and state are
// written once; blended values stay in registers, the gates of a row in shared
// memory. Rows of more than 256 columns are read three times.
// Determinism: sums run in an order fixed by the numbers of gates and columns.
#include "ops/cuda/kernels/gates/gate_fast.cuh"
#include "ops/cuda/kernels/gates/gate_forward_row.cuh"
#include "ops/cuda/kernels/gates/gate_norm.h"
#include "ops/cuda/kernels/gates/gate_row.cuh"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/norm_row.cuh"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {
namespace {

template <int V, typename S, typename T>
__device__ __forceinline__ void finish_row(const GateNormForward<S>& job,
                                           int64_t v, int column,
                                           const RowStatistics<T>& stats,
                                           uint64_t counter_high, T* x) {
  if (job.norm_weight != nullptr) {
    T weight[V], bias[V];
    load_pack<V>(job.norm_weight + column, weight);
    load_pack<V>(job.norm_bias + column, bias);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      x[k] = (x[k] - stats.mean) * stats.rstd * weight[k] + bias[k];
    }
  }
  const int64_t element = v * job.dim + column;
  if (job.mask.active) {
    const int64_t place = mask_row(job, v) * job.dim + column;
    drop_pack<V>(job.mask, counter_high, static_cast<uint64_t>(place), x);
  }
  store_pack<V>(job.out + element, x);
}

template <int V, typename S>
__global__ void __launch_bounds__(kBlockThreads)
    gate_norm_forward_kernel(const GateNormForward<S> job) {
  using T = Compute<S>;
  extern __shared__ __align__(16) unsigned char shared[];
  T* const gate = reinterpret_cast<T*>(shared) + warp_id() * job.gates;
  const int64_t v =
      static_cast<int64_t>(blockIdx.x) * warps_per_block() + warp_id();
  if (v >= job.rows) return;  // whole warps leave, and there are no barriers
  const S* const h_row = job.h + v * job.dim;
  const S* const m_row = job.m + v * job.dim;
  // Asked for before the gates are computed, so that they arrive meanwhile.
  T h[kPerLane], m[kPerLane], x[kPerLane];
  load_tile<V>(h_row, 0, job.dim, h);
  load_tile<V>(m_row, 0, job.dim, m);
  open_gates(job, v, gate);
  const int repeat = job.dim / job.gates;
  const auto blend = [&](int base, T(&out)[kPerLane]) {
    if (job.dim > kSpan) {
      load_tile<V>(h_row, base, job.dim, h);
      load_tile<V>(m_row, base, job.dim, m);
    }
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) out[j] = T(0);
    for_packs<V>(base, job.dim, [&](int j, int column) {
      const T g = gate[column / repeat];
#pragma unroll
      for (int k = 0; k < V; ++k) {
        out[j + k] = m[j + k] + g * (h[j + k] - m[j + k]);
      }
    });
  };
  RowStatistics<T> stats = {T(0), T(1)};
  if (job.norm_weight != nullptr) {
    stats = row_statistics<V>(job.dim, job.eps, x, blend);
    if (lane_id() == 0) {
      job.mean[v] = stats.mean;
      job.rstd[v] = stats.rstd;
    }
  }
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  for (int base = 0; base < job.dim; base += kSpan) {
    if (job.dim > kSpan || job.norm_weight == nullptr) blend(base, x);
    for_packs<V>(base, job.dim, [&](int j, int column) {
      finish_row<V>(job, v, column, stats, counter_high, x + j);
    });
  }
}

}  // namespace

template <typename S>
cudaError_t launch_gate_norm_forward(const GateNormForward<S>& job,
                                     cudaStream_t stream) {
  if (job.rows == 0) return cudaSuccess;
  if (job.gates < 1 || job.gates > kMaxGates) return cudaErrorInvalidValue;
  constexpr int V = kGatePack<S>;
  // A pack must not cross from one gate to the next.
  const bool wide =
      job.dim / job.gates % V == 0 &&
      packs_aligned<V>(job.h, job.m, job.norm_weight, job.norm_bias, job.out);
  if constexpr (kHasFast<S>) {
    if (has_fast_layout(job)) {
      return launch_gate_norm_forward_fast(job, stream);
    }
  }
  const int64_t warp_bytes =
      job.gates * static_cast<int64_t>(sizeof(Compute<S>));
  const int64_t warps =
      std::min<int64_t>(kBlockWarps, kSharedBytes / warp_bytes);
  const auto kernel =
      wide ? gate_norm_forward_kernel<V, S> : gate_norm_forward_kernel<1, S>;
  kernel<<<static_cast<unsigned>(divided_up(job.rows, warps)),
           static_cast<unsigned>(warps * kWarp),
           static_cast<size_t>(warps * warp_bytes), stream>>>(job);
  return cudaGetLastError();
}

#define ORDERED_GNN_INSTANTIATE(S)                                         \
  template cudaError_t launch_gate_norm_forward(const GateNormForward<S>&, \
                                                cudaStream_t);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16)

}  // namespace ordered_gnn::cuda
