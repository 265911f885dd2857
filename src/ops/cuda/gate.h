#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ops/detail/ordered_layer.h"

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
  detail::Dropout dropout;
  at::Tensor nodes;  // [rows] int64: the rows' places in the dropout mask;
                     // undefined: 0, 1, ...
};

void gate_forward(const GateForwardTensors& tensors);

/// What gate_forward() reads of a layer: all but m and the logits. Norm and
/// dropout included.
GateForwardTensors layer_inputs(const detail::LayerArguments& layer);

/// gate_forward() with a norm; makes the results, mean and rstd unless they are
/// there.
void finish_layer(GateForwardTensors& tensors);

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
  at::Tensor partial;         // shares of the gradients of norm weight, norm
                              // bias and gate bias, see share_rows(); undefined
                              // without a norm
  detail::Dropout dropout;
  at::Tensor nodes;  // as in forward
};

/// What gate_backward() reads of a layer; kept.m must be there. grad_gate and
/// the places of the results are up to the caller.
GateBackwardTensors layer_inputs(const detail::KeptLayer& kept,
                                 const at::Tensor& grad_out);

/// Rows of `partial`, [rows, 2 D + G] of the type of norm_weight, whose sum
/// over the rows the gradients are.
int64_t share_rows(const GateBackwardTensors& tensors);

void gate_backward(const GateBackwardTensors& tensors);

}  // namespace ordered_gnn::cuda
