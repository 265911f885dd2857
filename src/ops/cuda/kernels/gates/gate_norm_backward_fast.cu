// Work split: a fixed number of blocks whose warps walk through the rows, a
// warp per row; see gate_fast.cuh for what a lane owns. A second kernel
// (column_sums.cu) adds up the blocks' shares of the parameters' gradients.
// Memory: h, m, the gradient and four rows of gates are read once, one row
// ahead; the gradients of h, m, logits and the gate before are written once.
// Blended and normalised values, softmax and masks are computed again in
// registers, which also hold the parameters' gradients of a warp's rows.
// Determinism: which rows a warp owns follows from the number of rows; sums run
// in row order within a warp, in the order of warps within a block.
#include "ops/cuda/kernels/gates/gate_fast.cuh"
#include "ops/cuda/kernels/launch.h"

namespace ordered_gnn::cuda {
namespace {

// What a row is computed from.
template <bool kSoftor, typename S>
struct BackwardRow {
  using T = Compute<S>;
  FastRow<S> h, m, grad_out;
  StoredGates<S> gate, logits, prev_gate, grad_gate;
  T mean, rstd;

  __device__ __forceinline__ void load(const GateNormBackward<S>& job,
                                       int64_t v) {
    h.load(job.h, v);
    m.load(job.m, v);
    grad_out.load(job.grad_out, v);
    gate.load(job.gate, v);
    mean = job.mean[v];
    rstd = job.rstd[v];
    logits.load(job.logits, v);
    if constexpr (kSoftor) prev_gate.load(job.prev_gate, v);
    if (job.grad_gate != nullptr) {
      grad_gate.load(job.grad_gate, v);
    } else {
      grad_gate.set({T(0), T(0)});
    }
  }
};

// The lane's columns of the row that is worked on.
template <typename T>
struct BlendedRow {
  T grad[kPerLane];        // of the norm's output, dropout undone
  T difference[kPerLane];  // h - m
  T normalized[kPerLane];
  T gate[kLaneGates];
  T rstd;
};

template <bool kSoftor, typename S, typename T>
__device__ __forceinline__ void blend_again(const GateNormBackward<S>& job,
                                            int64_t v, uint64_t counter_high,
                                            const BackwardRow<kSoftor, S>& row,
                                            BlendedRow<T>& blended) {
  const uint32_t kept = kept_row<S>(job.mask, counter_high, mask_row(job, v));
  blended.rstd = row.rstd;
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) blended.gate[i] = row.gate[i];
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    const T m = row.m[j], difference = row.h[j] - m;
    const T x = m + blended.gate[j / kFastColumns] * difference;
    blended.difference[j] = difference;
    blended.normalized[j] = (x - row.mean) * row.rstd;
    blended.grad[j] = row.grad_out[j];
  }
  drop_row(kept, job.mask.scale, blended.grad);
}

// The parameters' gradients, summed over the rows of a warp.
template <typename T>
struct Shares {
  T weight[kPerLane] = {};
  T bias[kPerLane] = {};
  T gate_bias[kLaneGates] = {};

  __device__ __forceinline__ void add(const BlendedRow<T>& row) {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
      weight[j] += row.grad[j] * row.normalized[j];
      bias[j] += row.grad[j];
    }
  }
};

// Replaces the gradient of the norm's output by that of the blended values.
template <typename T>
__device__ __forceinline__ void undo_norm(const T (&weight)[kPerLane],
                                          BlendedRow<T>& row) {
  T sum = T(0), product = T(0);
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    row.grad[j] *= weight[j];
    sum += row.grad[j];
    product += row.grad[j] * row.normalized[j];
  }
  const T mean = warp_sum(sum) * (T(1) / kFastDim);
  const T correlation = warp_sum(product) * (T(1) / kFastDim);
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    row.grad[j] =
        row.rstd * (row.grad[j] - mean - row.normalized[j] * correlation);
  }
}

// Stores the gradients of h and m, adds that of the gates to `grad_gate`.
template <typename S, typename T>
__device__ __forceinline__ void undo_blend(const GateNormBackward<S>& job,
                                           int64_t v, const BlendedRow<T>& row,
                                           T (&grad_gate)[kLaneGates]) {
  T to_h[kPerLane], to_m[kPerLane], fold[kLaneGates] = {};
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) {
    to_h[j] = row.grad[j] * row.gate[j / kFastColumns];
    to_m[j] = row.grad[j] - to_h[j];
    fold[j / kFastColumns] += row.grad[j] * row.difference[j];
  }
  store_row(job.grad_h + v * job.grad_pitch, to_h);
  store_row(job.grad_m + v * job.grad_pitch, to_m);
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) grad_gate[i] += fold[i];
}

// From the gradient of the gates to that of the open ones, in place; stores
// that of the gates before.
template <typename S, typename T>
__device__ __forceinline__ void undo_softor(const GateNormBackward<S>& job,
                                            int64_t v,
                                            const OrderedGates<T>& gates,
                                            const StoredGates<S>& prev_gate,
                                            T (&grad)[kLaneGates]) {
  T to_prev[kLaneGates];
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    to_prev[i] = grad[i] * (T(1) - gates.open[i]);
    grad[i] *= T(1) - prev_gate[i];
  }
  StoredGates<S> grad_prev;
  grad_prev.set(to_prev);
  grad_prev.store(job.grad_prev, v);
}

// From the gradient of the open ones, softmax summed up, to that of the logits.
template <typename S, typename T>
__device__ __forceinline__ void undo_ordered(const GateNormBackward<S>& job,
                                             int64_t v,
                                             const OrderedGates<T>& gates,
                                             T (&grad)[kLaneGates],
                                             T (&gate_bias)[kLaneGates]) {
  // p[i] enters the gates 0 .. i, so its gradient is a left-to-right sum. The
  // mean of these sums under p is that of grad under open, which need not wait
  // for them.
  T mean = T(0);
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) mean += grad[i] * gates.open[i];
  mean = warp_sum(mean);
  prefix_sums<S>(grad);
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    grad[i] = gates.p[i] * (grad[i] - mean);
    gate_bias[i] += grad[i];
  }
  StoredGates<S> grad_logits;
  grad_logits.set(grad);
  grad_logits.store(job.grad_logits, v);
}

struct RowTurn {
  int64_t v;
  int64_t next;
};

// Row v, and the loads of the row after it unless that is `rows` or beyond.
template <bool kSoftor, typename S, typename T>
__device__ __forceinline__ void undo_row(const GateNormBackward<S>& job,
                                         RowTurn turn, uint64_t counter_high,
                                         const T (&weight)[kPerLane],
                                         BackwardRow<kSoftor, S>& row,
                                         Shares<T>& shares) {
  const int64_t v = turn.v;
  BlendedRow<T> blended;
  blend_again(job, v, counter_high, row, blended);
  const StoredGates<S> logits = row.logits, prev_gate = row.prev_gate;
  T grad[kLaneGates];
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) grad[i] = row.grad_gate[i];
  if (turn.next < job.rows) row.load(job, turn.next);
  shares.add(blended);
  undo_norm(weight, blended);
  const OrderedGates<T> gates = ordered_gates(logits);
  undo_blend(job, v, blended, grad);
  if constexpr (kSoftor) undo_softor(job, v, gates, prev_gate, grad);
  undo_ordered(job, v, gates, grad, shares.gate_bias);
}

// All threads of the block must call it.
template <typename S, typename T>
__device__ __forceinline__ void store_shares(const Shares<T>& shares, T* out) {
  __shared__ T parts[kBlockWarps][kSpan];
  T* const part = parts[warp_id()];
  const WarpParts<T> all = {part, parts[0], kSpan};
  store_column_sums<kFastPack<S>>(shares.weight, all, 0, kFastDim, out);
  store_column_sums<kFastPack<S>>(shares.bias, all, 0, kFastDim,
                                  out + kFastDim);
#pragma unroll
  for (int i = 0; i < kLaneGates; ++i) {
    part[gate_number<S>(i)] = shares.gate_bias[i];
  }
  __syncthreads();
  const int c = static_cast<int>(threadIdx.x);
  if (c >= kFastGates) return;
  T total = T(0);
  for (int w = 0; w < kBlockWarps; ++w) total += parts[w][c];
  out[2 * kFastDim + c] = total;
}

template <bool kSoftor, typename S>
__global__ void __launch_bounds__(kBlockThreads, 2)
    gate_norm_backward_fast_kernel(const GateNormBackward<S> job) {
  using T = Compute<S>;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * kBlockWarps + warp_id();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBlockWarps;
  const uint64_t counter_high = job.mask.active ? counter_high_of(job.mask) : 0;
  BackwardRow<kSoftor, S> row;
  if (first < job.rows) row.load(job, first);
  T weight[kPerLane];
  load_tile<kFastPack<S>>(job.norm_weight, 0, kFastDim, weight);
  Shares<T> shares;
  for (int64_t v = first; v < job.rows; v += stride) {
    undo_row(job, {v, v + stride}, counter_high, weight, row, shares);
  }
  store_shares<S>(shares, job.partial + static_cast<int64_t>(blockIdx.x) *
                                            (2 * kFastDim + kFastGates));
}

}  // namespace

template <typename S>
cudaError_t launch_gate_norm_backward_fast(const GateNormBackward<S>& job,
                                           int64_t blocks,
                                           cudaStream_t stream) {
  const auto kernel = job.mode == GateMode::softor
                          ? gate_norm_backward_fast_kernel<true, S>
                          : gate_norm_backward_fast_kernel<false, S>;
  kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(job);
  return cudaGetLastError();
}

template cudaError_t launch_gate_norm_backward_fast(
    const GateNormBackward<float>&, int64_t, cudaStream_t);
template cudaError_t launch_gate_norm_backward_fast(
    const GateNormBackward<__nv_bfloat16>&, int64_t, cudaStream_t);

}  // namespace ordered_gnn::cuda
