#pragma once
#include <ATen/core/Tensor.h>

#include "ops/cuda/gate.h"

// Where the gradients go that backward of a layer makes for the rows that it
// blends.
namespace ordered_gnn::cuda {

/// Of h and m in the blend, of the logits and of the gate before.
struct RowGradients {
  at::Tensor h, m;
  at::Tensor both;  ///< [h ; m] side by side, or undefined
  at::Tensor logits, prev_gate;
  at::Tensor workspace;  ///< of the product for the gate's weight, or undefined
};

/// Memory for them and for the shares of parameters, set in `job` as well. With
/// `reuse_memory` and rows of up to kGateInPlaceDim columns in that of what the
/// kernel reads: it is done with a row of the gradients, logits and gate before
/// it writes one.
/// @param sum_h  where to make a tensor like h besides, for the gradient of all
///               uses of h; null: nowhere.
RowGradients place_gradients(GateBackwardTensors& job, bool reuse_memory,
                             at::Tensor* sum_h = nullptr);

/// Adds what reaches h and m through the logits.
void add_gradients(const RowGradients& grads, const at::Tensor& gate_weight);

struct ParameterGradients {
  at::Tensor gate_weight, gate_bias, norm_weight, norm_bias;
};

/// Those of a layer with a norm, after gate_backward().
ParameterGradients parameter_gradients(const GateBackwardTensors& job,
                                       const RowGradients& grads);

}  // namespace ordered_gnn::cuda
