// Work split: rows; every row is computed from its own inputs. Gates of as many
// rows as a vector has lanes are turned into a tile with one lane per row, so
// that softmax and cumulative sums run for all of them at once.
// Memory: one read of each input row and one write of each output row; tiles
// live in the caller's scratch.
// Determinism: sums run in a fixed order inside a row.
#include "ops/cpu/kernels/gate_kernel.h"

#include "ops/cpu/kernels/gate_tile.h"
#include "ops/cpu/kernels/vector_exp.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

template <typename T>
constexpr int64_t kRows = kVectorWidth<T>;

// Gates [rows, gates] from `rows_in` to a tile [gates][kRows]; lanes without a
// row are zero.
template <typename T>
void load_tile(const T* rows_in, int64_t rows, int64_t gates, T* tile) {
  if (rows < kRows<T>) {
    for (int64_t i = 0; i < gates * kRows<T>; ++i) tile[i] = T(0);
  }
  transpose_block(rows_in, gates, rows, gates, tile, kRows<T>);
}

template <typename T>
void store_tile(const T* tile, int64_t rows, int64_t gates, T* rows_out) {
  transpose_block(tile, kRows<T>, gates, rows, rows_out, gates);
}

// Softmax of every lane, in place.
template <typename T>
void softmax_tile(int64_t gates, T* tile) {
  constexpr int64_t kW = kRows<T>;
  Vector<T> highest = load(tile);
  for (int64_t c = 1; c < gates; ++c) {
    const Vector<T> x = load(tile + c * kW);
    highest = x > highest ? x : highest;
  }
  for (int64_t c = 0; c < gates; ++c) {
    store(tile + c * kW, load(tile + c * kW) - highest);
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < gates * kW; ++i) tile[i] = vector_exp(tile[i]);
  Vector<T> total = {};
  for (int64_t c = 0; c < gates; ++c) total += load(tile + c * kW);
  const Vector<T> inverse = T(1) / total;
  for (int64_t c = 0; c < gates; ++c) {
    store(tile + c * kW, load(tile + c * kW) * inverse);
  }
}

// Gates of `rows` rows from v on. Right-to-left sums never rise along a row.
template <typename T, typename H, typename M>
void open_gates(const GateForward<T, H, M>& job, int64_t v, int64_t rows,
                T* scratch) {
  constexpr int64_t kW = kRows<T>;
  const int64_t gates = job.gates;
  T* const tile = scratch;
  T* const prev = scratch + gates * kW;
  load_tile(job.logits + v * gates, rows, gates, tile);
  softmax_tile(gates, tile);
  const bool softor = job.mode == GateMode::softor;
  if (softor) load_tile(job.prev_gate + v * gates, rows, gates, prev);
  Vector<T> sum = {};
  for (int64_t c = gates - 1; c >= 0; --c) {
    sum += load(tile + c * kW);
    Vector<T> gate = sum;
    if (softor) {
      const Vector<T> before = load(prev + c * kW);
      gate = before + (T(1) - before) * sum;
    }
    store(tile + c * kW, gate);
  }
  store_tile(tile, rows, gates, job.gate + v * gates);
}

template <typename T, typename H, typename M>
void open_simple(const GateForward<T, H, M>& job, int64_t v, int64_t rows) {
  const T* const logits = job.logits + v * job.gates;
  T* const gate = job.gate + v * job.gates;
#pragma GCC ivdep
  for (int64_t i = 0; i < rows * job.gates; ++i) {
    gate[i] = T(1) / (T(1) + vector_exp(-logits[i]));
  }
}

template <typename T, typename H, typename M>
void blend_row(const GateForward<T, H, M>& job, int64_t v, T* g) {
  expand_gate(job.gate + v * job.gates, job.gates, job.dim / job.gates, g);
  const H* const h = job.h + v * job.dim;
  const M* const m = job.m + v * job.dim;
  T* const out = job.out + v * job.dim;
#pragma GCC ivdep
  for (int64_t d = 0; d < job.dim; ++d) {
    const T sums = computed(m[d]);
    out[d] = sums + g[d] * (computed(h[d]) - sums);
  }
}

// d loss / d gate of the rows' gates from the blend, and what the blend hands
// on to h and m.
template <typename T, typename H, typename M>
void unblend_row(const GateBackward<T, H, M>& job, int64_t v, T* wide,
                 T* grad_gate) {
  const int64_t repeat = job.dim / job.gates;
  T* const g = wide;
  T* const product = wide + job.dim;
  expand_gate(job.gate + v * job.gates, job.gates, repeat, g);
  const H* const h = job.h + v * job.dim;
  const M* const m = job.m + v * job.dim;
  const T* const grad = job.grad_out + v * job.dim;
  T* const grad_h = job.grad_h + v * job.dim;
  T* const grad_m = job.grad_m + v * job.dim;
#pragma GCC ivdep
  for (int64_t d = 0; d < job.dim; ++d) {
    product[d] = grad[d] * (computed(h[d]) - computed(m[d]));
    grad_h[d] = grad[d] * g[d];
    grad_m[d] = grad[d] - grad_h[d];
  }
  fold_gate(product, job.gates, repeat, grad_gate);
  if (job.grad_gate == nullptr) return;
  const T* const more = job.grad_gate + v * job.gates;
  for (int64_t c = 0; c < job.gates; ++c) grad_gate[c] += more[c];
}

// Turns d loss / d gate (after SOFTOR, [rows, gates]) into d loss / d logits.
template <typename T, typename H, typename M>
void gates_to_logits(const GateBackward<T, H, M>& job, int64_t v, int64_t rows,
                     const T* grad_gate, T* scratch) {
  constexpr int64_t kW = kRows<T>;
  const int64_t gates = job.gates;
  T* const p = scratch;
  T* const grad = scratch + gates * kW;
  T* const prev = scratch + 2 * gates * kW;
  load_tile(job.logits + v * gates, rows, gates, p);
  softmax_tile(gates, p);
  load_tile(grad_gate, rows, gates, grad);
  if (job.mode == GateMode::softor) {
    load_tile(job.prev_gate + v * gates, rows, gates, prev);
    Vector<T> sum = {};
    for (int64_t c = gates - 1; c >= 0; --c) {
      sum += load(p + c * kW);
      const Vector<T> before = load(prev + c * kW), g = load(grad + c * kW);
      store(grad + c * kW, g * (T(1) - before));
      store(prev + c * kW, g * (T(1) - sum));
    }
    store_tile(prev, rows, gates, job.grad_prev_gate + v * gates);
  }
  // p[i] enters the gates 0 .. i, so its gradient is a left-to-right sum.
  Vector<T> sum = {}, mean = {};
  for (int64_t c = 0; c < gates; ++c) {
    sum += load(grad + c * kW);
    store(grad + c * kW, sum);
    mean += load(p + c * kW) * sum;
  }
  for (int64_t c = 0; c < gates; ++c) {
    store(grad + c * kW, load(p + c * kW) * (load(grad + c * kW) - mean));
  }
  store_tile(grad, rows, gates, job.grad_logits + v * gates);
}

template <typename T, typename H, typename M>
void simple_to_logits(const GateBackward<T, H, M>& job, int64_t v, int64_t rows,
                      const T* grad_gate) {
  const T* const gate = job.gate + v * job.gates;
  T* const grad_logits = job.grad_logits + v * job.gates;
#pragma GCC ivdep
  for (int64_t i = 0; i < rows * job.gates; ++i) {
    grad_logits[i] = grad_gate[i] * gate[i] * (T(1) - gate[i]);
  }
}

// Calls body(v, rows) for the tiles of [begin, end).
template <typename T, typename Body>
void for_tiles(int64_t begin, int64_t end, const Body& body) {
  for (int64_t v = begin; v < end; v += kRows<T>) {
    body(v, end - v < kRows<T> ? end - v : kRows<T>);
  }
}

}  // namespace

template <typename T>
void gate_forward(const GateForward<T>& job, int64_t begin, int64_t end,
                  T* scratch) {
  for_tiles<T>(begin, end, [&](int64_t v, int64_t rows) {
    if (job.mode == GateMode::simple) {
      open_simple(job, v, rows);
    } else {
      open_gates(job, v, rows, scratch);
    }
    for (int64_t r = 0; r < rows; ++r) blend_row(job, v + r, scratch);
  });
}

template <typename T, typename H, typename M>
void gate_open(const GateForward<T, H, M>& job, int64_t begin, int64_t end,
               T* scratch) {
  for_tiles<T>(begin, end, [&](int64_t v, int64_t rows) {
    open_gates(job, v, rows, scratch);
  });
}

template <typename T, typename H, typename M>
void gate_blend(const GateForward<T, H, M>& job, int64_t begin, int64_t end,
                T* scratch) {
  for (int64_t v = begin; v < end; ++v) blend_row(job, v, scratch);
}

template <typename T, typename H, typename M>
void gate_backward(const GateBackward<T, H, M>& job, int64_t begin, int64_t end,
                   T* scratch) {
  T* const grad_gate = scratch;
  T* const rest = scratch + kRows<T> * job.gates;
  for_tiles<T>(begin, end, [&](int64_t v, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r) {
      unblend_row(job, v + r, rest, grad_gate + r * job.gates);
    }
    if (job.mode == GateMode::simple) {
      simple_to_logits(job, v, rows, grad_gate);
    } else {
      gates_to_logits(job, v, rows, grad_gate, rest);
    }
  });
}

template <typename T, typename H, typename M>
void gate_to_logits(const GateBackward<T, H, M>& job, const T* gate_grad,
                    int64_t begin, int64_t end, T* scratch) {
  for_tiles<T>(begin, end, [&](int64_t v, int64_t rows) {
    gates_to_logits(job, v, rows, gate_grad + v * job.gates, scratch);
  });
}

#define ORDERED_GNN_INSTANTIATE(T, H, M)                                       \
  template void gate_blend(const GateForward<T, H, M>&, int64_t, int64_t, T*); \
  template void gate_backward(const GateBackward<T, H, M>&, int64_t, int64_t,  \
                              T*);
ORDERED_GNN_INSTANTIATE(float, float, float)
ORDERED_GNN_INSTANTIATE(double, double, double)
ORDERED_GNN_INSTANTIATE(float, Bf16, float)

#define ORDERED_GNN_INSTANTIATE_WHOLE(T) \
  template void gate_forward(const GateForward<T>&, int64_t, int64_t, T*);
ORDERED_GNN_INSTANTIATE_WHOLE(float)
ORDERED_GNN_INSTANTIATE_WHOLE(double)

#define ORDERED_GNN_INSTANTIATE_OPEN(H, M)                                   \
  template void gate_open(const GateForward<float, H, M>&, int64_t, int64_t, \
                          float*);
ORDERED_GNN_INSTANTIATE_OPEN(float, float)
ORDERED_GNN_INSTANTIATE_OPEN(Bf16, float)

template void gate_to_logits(const GateBackward<float, Bf16, float>&,
                             const float*, int64_t, int64_t, float*);

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
