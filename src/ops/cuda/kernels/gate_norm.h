#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/dropout_mask.h"

namespace ordered_gnn::cuda {

/// Most gates of a row; what a warp keeps of them must fit shared memory.
constexpr int kMaxGates = 1024;

/// How a gate follows from its logits; see ops/ordered_gate.h.
enum class GateMode : int { simple = 0, ordered = 1, softor = 2 };

/// What follows the gate product in a layer:
///
///   gate = mode(logits, prev_gate)
///   x    = up(gate) * h + (1 - up(gate)) * m
///   out  = dropout((x - mean) * rstd * norm_weight + norm_bias)
///
/// Without norm_weight it ends with out = x, as the op ordered_gate does.
template <typename T>
struct GateNormForward {
  GateMode mode = GateMode::softor;
  const T* logits = nullptr;     // [rows, gates]
  const T* prev_gate = nullptr;  // [rows, gates], read in mode softor
  const T* h = nullptr;          // [rows, dim]
  const T* m = nullptr;          // [rows, dim]
  const T* norm_weight = nullptr;
  const T* norm_bias = nullptr;
  T* gate = nullptr;  // [rows, gates]
  T* out = nullptr;   // [rows, dim]
  T* mean = nullptr;  // [rows]
  T* rstd = nullptr;  // [rows]
  int64_t rows = 0;
  int gates = 0;
  int dim = 0;
  double eps = 0;
  DropoutMask mask;
};

template <typename T>
cudaError_t launch_gate_norm_forward(const GateNormForward<T>& job,
                                     cudaStream_t stream);

/// Its gradients: of the logits, of prev_gate, and of h and m as far as they
/// enter the blend.
template <typename T>
struct GateNormBackward {
  GateMode mode = GateMode::softor;
  const T* logits = nullptr;
  const T* prev_gate = nullptr;
  const T* h = nullptr;
  const T* m = nullptr;
  const T* gate = nullptr;
  const T* norm_weight = nullptr;  // null: no norm, no dropout
  const T* mean = nullptr;
  const T* rstd = nullptr;
  const T* grad_out = nullptr;   // [rows, dim]
  const T* grad_gate = nullptr;  // [rows, gates] or null for zeros
  T* grad_logits = nullptr;      // [rows, gates]
  T* grad_prev = nullptr;        // [rows, gates], null but in mode softor
  T* grad_h = nullptr;           // [rows, dim]
  T* grad_m = nullptr;           // [rows, dim]
  T* partial = nullptr;  // [blocks, 2 dim + gates]: shares of the gradients of
                         // norm_weight, norm_bias and the gate's bias; null
                         // without a norm
  int64_t rows = 0;
  int gates = 0;
  int dim = 0;
  DropoutMask mask;
};

template <typename T>
int64_t gate_norm_backward_blocks(int64_t rows, int gates);

template <typename T>
cudaError_t launch_gate_norm_backward(const GateNormBackward<T>& job,
                                      cudaStream_t stream);

}  // namespace ordered_gnn::cuda
