#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ordered_gnn/core/philox.h"

// What ordered_gate and ordered_layer share: the kernel from the logits to the
// state, with or without the norm. Tensors are contiguous unless said
// otherwise. Rows of nodes are float, double or bfloat16; norm_weight,
// norm_bias, mean and rstd are float beside bfloat16 rows and of the rows' type
// else.
namespace ordered_gnn::cuda {

struct GateForwardTensors {
  int64_t mode;
  at::Tensor logits, h, m;
  at::Tensor prev_gate;               // read in mode softor
  at::Tensor norm_weight, norm_bias;  // undefined: no norm, no dropout
  at::Tensor gate, out, mean, rstd;   // results
  double eps = 0;
  double p = 0;
  DropoutKey key;
  at::Tensor nodes;  // [rows] int64: the rows' places in the dropout mask;
                     // undefined: 0, 1, ...
};

void gate_forward(const GateForwardTensors& tensors);

/// gate_forward() with a norm; makes the results.
void finish_layer(GateForwardTensors& tensors, const at::Tensor& norm_weight,
                  const at::Tensor& norm_bias, double eps, double p,
                  const DropoutKey& key);

struct GateBackwardTensors {
  int64_t mode;
  at::Tensor logits, h, m, gate;
  at::Tensor prev_gate;                // read in mode softor
  at::Tensor norm_weight, mean, rstd;  // undefined: no norm
  at::Tensor grad_out;
  at::Tensor grad_gate;               // undefined: zeros
  at::Tensor grad_logits, grad_prev;  // results; grad_prev in mode softor.
                                      // They may be logits and one of gate
                                      // and grad_gate where grad_h may be
                                      // grad_out
  at::Tensor grad_h, grad_m;  // results; rows may lie further apart than they
                              // are wide, by the same stride in both. grad_h
                              // may be grad_out up to kGateInPlaceDim columns
  double p = 0;
  DropoutKey key;
  at::Tensor nodes;  // as in forward
};

/// @return the gradients of norm weight, norm bias and gate bias, of the type
///         of norm_weight; nothing without a norm.
std::vector<at::Tensor> gate_backward(const GateBackwardTensors& tensors);

}  // namespace ordered_gnn::cuda
