#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/rows/dropout_mask.h"
#include "ops/cuda/kernels/storage.h"
#include "ops/detail/gate_mode.h"

namespace ordered_gnn::cuda {

/// Most gates of a row; what a warp keeps of them must fit shared memory.
constexpr int kMaxGates = 1024;

/// Widest rows whose gradients may be written where something is read: grad_h
/// to grad_out, grad_logits to logits, grad_prev to gate or grad_gate.
constexpr int kGateInPlaceDim = 256;

using detail::GateMode;

/// What follows the gate product in a layer:
///
///   gate = mode(logits, prev_gate)
///   x    = up(gate) * h + (1 - up(gate)) * m
///   out  = dropout((x - mean) * rstd * norm_weight + norm_bias)
///
/// Without norm_weight it ends with out = x, as the op ordered_gate does.
/// The blend takes the gate as it is stored, rounded to S, so that whoever
/// reads it later sees the number that was used. mean and rstd are those of
/// the unrounded x. All rows are contiguous.
template <typename S>
struct GateNormForward {
  GateMode mode = GateMode::softor;
  const S* logits = nullptr;     // [rows, gates]
  const S* prev_gate = nullptr;  // [rows, gates], read in mode softor
  const S* h = nullptr;          // [rows, dim]
  const S* m = nullptr;          // [rows, dim]
  const Compute<S>* norm_weight = nullptr;
  const Compute<S>* norm_bias = nullptr;
  S* gate = nullptr;           // [rows, gates]
  S* out = nullptr;            // [rows, dim]
  Compute<S>* mean = nullptr;  // [rows]
  Compute<S>* rstd = nullptr;  // [rows]
  int64_t rows = 0;
  int gates = 0;  // divides dim
  int dim = 0;
  double eps = 0;
  DropoutMask mask;                // inactive without a norm
  const int64_t* nodes = nullptr;  // [rows]: the row of the mask that a row is
                                   // dropped by; null: its own
};

template <typename S>
cudaError_t launch_gate_norm_forward(const GateNormForward<S>& job,
                                     cudaStream_t stream);

/// Its gradients: of the logits, of prev_gate, and of h and m as far as they
/// enter the blend.
template <typename S>
struct GateNormBackward {
  GateMode mode = GateMode::softor;
  const S* logits = nullptr;
  const S* prev_gate = nullptr;  // read in mode softor
  const S* h = nullptr;
  const S* m = nullptr;
  const S* gate = nullptr;
  const Compute<S>* norm_weight = nullptr;  // null: no norm, no dropout
  const Compute<S>* mean = nullptr;
  const Compute<S>* rstd = nullptr;
  const S* grad_out = nullptr;    // [rows, dim]
  const S* grad_gate = nullptr;   // [rows, gates] or null for zeros
  S* grad_logits = nullptr;       // [rows, gates]
  S* grad_prev = nullptr;         // [rows, gates], null but in mode softor
  S* grad_h = nullptr;            // [rows, dim]
  S* grad_m = nullptr;            // [rows, dim]
  Compute<S>* partial = nullptr;  // [blocks, 2 dim + gates]: shares of the
                                  // gradients of norm_weight, norm_bias and
                                  // the gate's bias; null without a norm
  int64_t grad_pitch = 0;  // elements from row to row of grad_h and of grad_m,
                           // at least dim; 0 stands for dim
  int64_t rows = 0;
  int gates = 0;
  int dim = 0;
  DropoutMask mask;
  const int64_t* nodes = nullptr;  // as in forward
};

/// Rows of `partial`; none for no rows.
template <typename S>
int64_t gate_norm_backward_blocks(int64_t rows, int gates);

template <typename S>
cudaError_t launch_gate_norm_backward(const GateNormBackward<S>& job,
                                      cudaStream_t stream);

}  // namespace ordered_gnn::cuda
