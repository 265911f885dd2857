#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/philox.h"

// What ordered_gate and ordered_layer share: the kernel from the logits to the
// state, with or without the norm. All tensors are contiguous.
namespace ordered_gnn::cuda {

struct GateForwardTensors {
  int64_t mode;
  at::Tensor logits, prev_gate, h, m;
  at::Tensor norm_weight, norm_bias;  // undefined: no norm, no dropout
  at::Tensor gate, out, mean, rstd;   // results
  double eps = 0;
  double p = 0;
  DropoutKey key;
};

void gate_forward(const GateForwardTensors& tensors);

struct GateBackwardTensors {
  int64_t mode;
  at::Tensor logits, prev_gate, h, m, gate;
  at::Tensor norm_weight, mean, rstd;                 // undefined: no norm
  at::Tensor grad_out, grad_gate;                     // grad_gate may be
  at::Tensor grad_logits, grad_prev, grad_h, grad_m;  // results; grad_prev in
                                                      // mode softor
  double p = 0;
  DropoutKey key;
};

/// @return [2 D + G] gradients of norm weight, norm bias and gate bias one
/// after
///         the other; undefined without a norm.
at::Tensor gate_backward(const GateBackwardTensors& tensors);

}  // namespace ordered_gnn::cuda
