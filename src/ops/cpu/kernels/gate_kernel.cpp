// Work split: rows; every row is computed by one task from its own inputs.
// Memory: one read of each input row and one write of each output row; the
// softmax, cumulative sum and chunk expansion live in a scratch of one row.
// Determinism: sums run in a fixed order inside a row.
#include "ops/cpu/kernels/gate_kernel.h"

#include "ops/cpu/kernels/vector_exp.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

template <typename T>
void softmax_row(const T* logits, int64_t gates, T* p) {
  T highest = logits[0];
  for (int64_t c = 1; c < gates; ++c) {
    highest = logits[c] > highest ? logits[c] : highest;
  }
#pragma GCC ivdep
  for (int64_t c = 0; c < gates; ++c) p[c] = vector_exp(logits[c] - highest);
  T total = T(0);
  for (int64_t c = 0; c < gates; ++c) total += p[c];
  const T inverse = T(1) / total;
  for (int64_t c = 0; c < gates; ++c) p[c] *= inverse;
}

// Right-to-left cumulative sum: values never rise along the row.
template <typename T>
void reverse_cumulate(T* p, int64_t gates) {
  for (int64_t c = gates - 2; c >= 0; --c) p[c] += p[c + 1];
}

template <typename T>
void open_gate(GateMode mode, const T* logits, const T* prev, int64_t gates,
               T* gate) {
  if (mode == GateMode::simple) {
    for (int64_t c = 0; c < gates; ++c) {
      gate[c] = T(1) / (T(1) + vector_exp(-logits[c]));
    }
    return;
  }
  softmax_row(logits, gates, gate);
  reverse_cumulate(gate, gates);
  if (mode == GateMode::softor) {
    for (int64_t c = 0; c < gates; ++c) {
      gate[c] = prev[c] + (T(1) - prev[c]) * gate[c];
    }
  }
}

template <typename T>
void expand(const T* gate, int64_t gates, int64_t repeat, T* wide) {
  for (int64_t c = 0; c < gates; ++c) {
    for (int64_t j = 0; j < repeat; ++j) wide[c * repeat + j] = gate[c];
  }
}

// Turns d loss / d gate (after SOFTOR) into d loss / d logits, in place.
template <typename T>
void gate_to_logits(const GateBackward<T>& job, int64_t v, T* grad_gate,
                    T* scratch) {
  const int64_t gates = job.gates;
  const T* const logits = job.logits + v * gates;
  T* const grad_logits = job.grad_logits + v * gates;
  if (job.mode == GateMode::simple) {
    const T* const gate = job.gate + v * gates;
    for (int64_t c = 0; c < gates; ++c) {
      grad_logits[c] = grad_gate[c] * gate[c] * (T(1) - gate[c]);
    }
    return;
  }
  T* const p = scratch;
  softmax_row(logits, gates, p);
  if (job.mode == GateMode::softor) {
    const T* const prev = job.prev_gate + v * gates;
    T* const cumulated = scratch + gates;
    for (int64_t c = 0; c < gates; ++c) cumulated[c] = p[c];
    reverse_cumulate(cumulated, gates);
    T* const grad_prev = job.grad_prev_gate + v * gates;
    for (int64_t c = 0; c < gates; ++c) {
      grad_prev[c] = grad_gate[c] * (T(1) - cumulated[c]);
      grad_gate[c] *= T(1) - prev[c];
    }
  }
  // p[i] enters the gates 0 .. i, so its gradient is a left-to-right sum.
  for (int64_t c = 1; c < gates; ++c) grad_gate[c] += grad_gate[c - 1];
  T mean = T(0);
  for (int64_t c = 0; c < gates; ++c) mean += p[c] * grad_gate[c];
  for (int64_t c = 0; c < gates; ++c) {
    grad_logits[c] = p[c] * (grad_gate[c] - mean);
  }
}

}  // namespace

template <typename T>
void gate_forward(const GateForward<T>& job, int64_t begin, int64_t end,
                  T* scratch) {
  const int64_t repeat = job.dim / job.gates;
  T* const g = scratch;
  for (int64_t v = begin; v < end; ++v) {
    T* const gate = job.gate + v * job.gates;
    const T* const prev =
        job.prev_gate != nullptr ? job.prev_gate + v * job.gates : nullptr;
    open_gate(job.mode, job.logits + v * job.gates, prev, job.gates, gate);
    expand(gate, job.gates, repeat, g);
    const T* const h = job.h + v * job.dim;
    const T* const m = job.m + v * job.dim;
    T* const out = job.out + v * job.dim;
#pragma GCC ivdep
    for (int64_t d = 0; d < job.dim; ++d) out[d] = m[d] + g[d] * (h[d] - m[d]);
  }
}

template <typename T>
void gate_backward(const GateBackward<T>& job, int64_t begin, int64_t end,
                   T* scratch) {
  const int64_t repeat = job.dim / job.gates;
  T* const g = scratch;
  T* const product = g + job.dim;
  T* const grad_gate = product + job.dim;
  T* const softmax = grad_gate + job.gates;
  for (int64_t v = begin; v < end; ++v) {
    expand(job.gate + v * job.gates, job.gates, repeat, g);
    const T* const h = job.h + v * job.dim;
    const T* const m = job.m + v * job.dim;
    const T* const grad = job.grad_out + v * job.dim;
    T* const grad_h = job.grad_h + v * job.dim;
    T* const grad_m = job.grad_m + v * job.dim;
#pragma GCC ivdep
    for (int64_t d = 0; d < job.dim; ++d) {
      product[d] = grad[d] * (h[d] - m[d]);
      grad_h[d] = grad[d] * g[d];
      grad_m[d] = grad[d] - grad_h[d];
    }
    for (int64_t c = 0; c < job.gates; ++c) {
      T sum =
          job.grad_gate != nullptr ? job.grad_gate[v * job.gates + c] : T(0);
      for (int64_t j = 0; j < repeat; ++j) sum += product[c * repeat + j];
      grad_gate[c] = sum;
    }
    gate_to_logits(job, v, grad_gate, softmax);
  }
}

#define ORDERED_GNN_INSTANTIATE(T)                                         \
  template void gate_forward(const GateForward<T>&, int64_t, int64_t, T*); \
  template void gate_backward(const GateBackward<T>&, int64_t, int64_t, T*);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
