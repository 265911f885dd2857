#pragma once
#include <cstdint>

#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/simd_namespaces.h"
#include "ops/detail/gate_mode.h"

namespace ordered_gnn::kernels {

using detail::GateMode;

/// Computed in T; H and M are the types that rows of h and m are stored in.
template <typename T, typename H = T, typename M = T>
struct GateForward {
  GateMode mode = GateMode::softor;
  const T* logits = nullptr;     // [N, gates]
  const T* prev_gate = nullptr;  // [N, gates], read in mode softor
  const H* h = nullptr;          // [N, dim]
  const M* m = nullptr;          // [N, dim]
  T* out = nullptr;              // [N, dim]
  T* gate = nullptr;             // [N, gates]
  int64_t gates = 0;
  int64_t dim = 0;
};

template <typename T, typename H = T, typename M = T>
struct GateBackward {
  GateMode mode = GateMode::softor;
  const T* logits = nullptr;
  const T* prev_gate = nullptr;
  const H* h = nullptr;
  const M* m = nullptr;
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
    template <typename T, typename H, typename M>
    void gate_open(const GateForward<T, H, M>& job, int64_t begin, int64_t end,
                   T* scratch);
    /// Only the combined rows, from a gate computed before.
    template <typename T, typename H, typename M>
    void gate_blend(const GateForward<T, H, M>& job, int64_t begin, int64_t end,
                    T* scratch);
    template <typename T, typename H, typename M>
    void gate_backward(const GateBackward<T, H, M>& job, int64_t begin,
                       int64_t end, T* scratch);
    /// Only from the gradient of the gate, [N, gates], to those of the logits
    /// and of prev_gate, in the ordered modes.
    template <typename T, typename H, typename M>
    void gate_to_logits(const GateBackward<T, H, M>& job, const T* gate_grad,
                        int64_t begin, int64_t end, T* scratch);)

}  // namespace ordered_gnn::kernels
