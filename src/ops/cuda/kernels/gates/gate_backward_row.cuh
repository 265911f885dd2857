#pragma once
#include "ops/cuda/kernels/gates/gate_norm.h"
#include "ops/cuda/kernels/gates/gate_row.cuh"
#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/philox.cuh"
#include "ops/cuda/kernels/rows/row_tile.cuh"

// Device code of gate_norm_backward.cu: what a warp does with one row.
namespace ordered_gnn::cuda {

// A warp's part of shared memory: three rows of gates and a span of columns.
template <typename T>
struct Scratch {
  T* grad;      // [gates] gradient of the gates, then of the logits' softmax
  T* p;         // [gates] softmax
  T* bias_sum;  // [gates] share of the gate bias' gradient, over all rows
  T* span;      // [kSpan]

  __device__ __forceinline__ Scratch(T* part, int gates)
      : grad(part),
        p(part + gates),
        bias_sum(part + 2 * gates),
        span(part + 3 * gates) {}
};

__host__ __device__ constexpr int scratch_size(int gates) {
  return 3 * gates + kSpan;
}

// A span of a row; zeros past the end of the row.
template <typename T>
struct GateSpan {
  T grad[kPerLane];        // of the norm's output, dropout undone
  T difference[kPerLane];  // h - m
  T normalized[kPerLane];
  T gate[kPerLane];
};

template <int V, typename S, typename T>
__device__ __forceinline__ void load_span(const GateNormBackward<S>& job,
                                          int64_t v, int base,
                                          uint64_t counter_high,
                                          GateSpan<T>& span) {
  const int64_t offset = v * job.dim;
  const bool norm = job.norm_weight != nullptr;
  const T mean = norm ? job.mean[v] : T(0), rstd = norm ? job.rstd[v] : T(1);
  const S* const gate = job.gate + v * job.gates;
  const int repeat = job.dim / job.gates;
  const int64_t mask_offset = mask_row(job, v) * job.dim;
  load_tile<V>(job.grad_out + offset, base, job.dim, span.grad);
  load_tile<V>(job.h + offset, base, job.dim, span.difference);
  load_tile<V>(job.m + offset, base, job.dim, span.normalized);
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) span.gate[j] = T(0);
  for_packs<V>(base, job.dim, [&](int j, int column) {
    const T g = to_compute(gate[column / repeat]);
#pragma unroll
    for (int k = 0; k < V; ++k) {
      const T m = span.normalized[j + k];
      span.gate[j + k] = g;
      span.difference[j + k] -= m;
      const T x = m + g * span.difference[j + k];
      span.normalized[j + k] = (x - mean) * rstd;
    }
    if (job.mask.active) {
      drop_pack<V>(job.mask, counter_high,
                   static_cast<uint64_t>(mask_offset + column), span.grad + j);
    }
  });
}

template <typename T>
struct RowMeans {
  T grad;         // of the gradient times the norm's weight
  T correlation;  // of that times the normalised value
};

// Where a pack is: its column in the row, and its first slot in the span.
struct PackPlace {
  int column;
  int j;
};

// Leaves a row of one span in `span`.
template <int V, typename S, typename T>
__device__ __forceinline__ RowMeans<T> row_means(const GateNormBackward<S>& job,
                                                 int64_t v,
                                                 uint64_t counter_high,
                                                 GateSpan<T>& span) {
  T sum = T(0), product = T(0);
  for (int base = 0; base < job.dim; base += kSpan) {
    load_span<V>(job, v, base, counter_high, span);
    if (job.norm_weight == nullptr) continue;
    for_packs<V>(base, job.dim, [&](int j, int column) {
      T weight[V];
      load_pack<V>(job.norm_weight + column, weight);
#pragma unroll
      for (int k = 0; k < V; ++k) {
        const T scaled = span.grad[j + k] * weight[k];
        sum += scaled;
        product += scaled * span.normalized[j + k];
      }
    });
  }
  const T inverse_dim = T(1) / static_cast<T>(job.dim);
  return {warp_sum(sum) * inverse_dim, warp_sum(product) * inverse_dim};
}

// grad of the blended values of a pack, in place of the norm's output.
template <int V, typename S, typename T>
__device__ __forceinline__ void undo_norm(const GateNormBackward<S>& job,
                                          T rstd, const RowMeans<T>& means,
                                          const GateSpan<T>& span,
                                          PackPlace pack, T (&grad)[V]) {
  const int j = pack.j;
  if (job.norm_weight == nullptr) {
#pragma unroll
    for (int k = 0; k < V; ++k) grad[k] = span.grad[j + k];
    return;
  }
  T weight[V];
  load_pack<V>(job.norm_weight + pack.column, weight);
#pragma unroll
  for (int k = 0; k < V; ++k) {
    grad[k] = rstd * (span.grad[j + k] * weight[k] - means.grad -
                      span.normalized[j + k] * means.correlation);
  }
}

// scratch.grad[c] += the products of gate c that lie in the span.
template <typename S, typename T>
__device__ __forceinline__ void fold_span(const GateNormBackward<S>& job,
                                          int base, const Scratch<T>& scratch) {
  const int repeat = job.dim / job.gates;
  const int end = base + kSpan < job.dim ? base + kSpan : job.dim;
  for (int c = base / repeat + lane_id(); c * repeat < end; c += kWarp) {
    const int first = c * repeat > base ? c * repeat : base;
    const int last = (c + 1) * repeat < end ? (c + 1) * repeat : end;
    T sum = T(0);
    for (int d = first; d < last; ++d) sum += scratch.span[d - base];
    scratch.grad[c] += sum;
  }
}

// Gradients of h and m in the blend, and of the gates into scratch.grad, which
// must hold what came from the next layer.
template <int V, typename S, typename T>
__device__ __forceinline__ void undo_blend(const GateNormBackward<S>& job,
                                           int64_t v, const RowMeans<T>& means,
                                           uint64_t counter_high,
                                           const Scratch<T>& scratch,
                                           GateSpan<T>& span) {
  const int repeat = job.dim / job.gates;
  const T rstd = job.norm_weight != nullptr ? job.rstd[v] : T(1);
  for (int base = 0; base < job.dim; base += kSpan) {
    if (job.dim > kSpan) load_span<V>(job, v, base, counter_high, span);
    for_packs<V>(base, job.dim, [&](int j, int column) {
      T grad[V], to_h[V], to_m[V];
      undo_norm<V>(job, rstd, means, span, {column, j}, grad);
      T fold = T(0);
#pragma unroll
      for (int k = 0; k < V; ++k) {
        const T product = grad[k] * span.difference[j + k];
        to_h[k] = grad[k] * span.gate[j + k];
        to_m[k] = grad[k] - to_h[k];
        fold += product;
        if (repeat != V) scratch.span[column - base + k] = product;
      }
      // The pack is all there is of its gate.
      if (repeat == V) scratch.grad[column / V] += fold;
      store_pack<V>(job.grad_h + v * job.grad_pitch + column, to_h);
      store_pack<V>(job.grad_m + v * job.grad_pitch + column, to_m);
    });
    __syncwarp();  // products and gates of other lanes are read from here on
    if (repeat != V) {
      fold_span(job, base, scratch);
      __syncwarp();  // the next span is written, or gates change their owner
    }
  }
}

// Turns scratch.grad, the gradient of the gates of row v, into that of the
// logits.
template <typename S, typename T>
__device__ __forceinline__ void undo_gates(const GateNormBackward<S>& job,
                                           int64_t v,
                                           const Scratch<T>& scratch) {
  const int64_t offset = v * job.gates;
  const auto store = [&](int c, T value) {
    job.grad_logits[offset + c] = to_storage<S>(value);
    scratch.bias_sum[c] += value;
  };
  if (job.mode == GateMode::simple) {
    for (int c = lane_id(); c < job.gates; c += kWarp) {
      const T gate = to_compute(job.gate[offset + c]);
      store(c, scratch.grad[c] * gate * (T(1) - gate));
    }
    return;
  }
  softmax_row(job.logits + offset, job.gates, scratch.p);
  if (job.mode == GateMode::softor) {
    for_suffix_sums(scratch.p, job.gates, [&](int c, T sum) {
      const T grad = scratch.grad[c];
      scratch.grad[c] = grad * (T(1) - to_compute(job.prev_gate[offset + c]));
      job.grad_prev[offset + c] = to_storage<S>(grad * (T(1) - sum));
    });
  }
  // p[i] enters the gates 0 .. i, so its gradient is a left-to-right sum.
  T mean = T(0);
  for_prefix_sums(scratch.grad, job.gates, [&](int c, T sum) {
    scratch.grad[c] = sum;
    mean += scratch.p[c] * sum;
  });
  mean = warp_sum(mean);
  for (int c = lane_id(); c < job.gates; c += kWarp) {
    store(c, scratch.p[c] * (scratch.grad[c] - mean));
  }
}

template <typename S, typename T>
__device__ __forceinline__ void start_gates(const GateNormBackward<S>& job,
                                            int64_t v,
                                            const Scratch<T>& scratch) {
  for (int c = lane_id(); c < job.gates; c += kWarp) {
    scratch.grad[c] = job.grad_gate != nullptr
                          ? to_compute(job.grad_gate[v * job.gates + c])
                          : T(0);
  }
  __syncwarp();  // other lanes add to them
}

}  // namespace ordered_gnn::cuda
