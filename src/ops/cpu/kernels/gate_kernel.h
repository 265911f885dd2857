#pragma once
#include <cstdint>

#include "ops/cpu/kernels/simd_namespaces.h"
#include "ops/detail/gate_mode.h"

namespace ordered_gnn::kernels {

using detail::GateMode;

template <typename T>
struct GateForward {
  GateMode mode = GateMode::softor;
  const T* logits = nullptr;     // [N, gates]
  const T* prev_gate = nullptr;  // [N, gates], read in mode softor
  const T* h = nullptr;          // [N, dim]
  const T* m = nullptr;          // [N, dim]
  T* out = nullptr;              // [N, dim]
  T* gate = nullptr;             // [N, gates]
  int64_t gates = 0;
  int64_t dim = 0;
};

template <typename T>
struct GateBackward {
  GateMode mode = GateMode::softor;
  const T* logits = nullptr;
  const T* prev_gate = nullptr;
  const T* h = nullptr;
  const T* m = nullptr;
  const T* gate = nullptr;
  const T* grad_out = nullptr;   // [N, dim]
  const T* grad_gate = nullptr;  // [N, gates] or null for zeros
  T* grad_logits = nullptr;
  T* grad_prev_gate = nullptr;  // null in the other modes
  T* grad_h = nullptr;
  T* grad_m = nullptr;
  int64_t gates = 0;
  int64_t dim = 0;
};

/// Elements of scratch that one call of the functions below needs: four tiles
/// of 16 rows of gates, and two rows of the width.
constexpr int64_t gate_scratch_size(int64_t gates, int64_t dim) {
  return 2 * dim + 4 * 16 * gates;
}

ORDERED_GNN_SIMD_DECLARE(
    template <typename T>
    void gate_forward(const GateForward<T>& job, int64_t begin, int64_t end,
                      T* scratch);
    /// Only the gate, in the ordered modes.
    template <typename T>
    void gate_open(const GateForward<T>& job, int64_t begin, int64_t end,
                   T* scratch);
    /// Only the combined rows, from a gate computed before.
    template <typename T>
    void gate_blend(const GateForward<T>& job, int64_t begin, int64_t end,
                    T* scratch);
    template <typename T>
    void gate_backward(const GateBackward<T>& job, int64_t begin, int64_t end,
                       T* scratch);)

}  // namespace ordered_gnn::kernels
