#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/ordered_layer.h"

namespace ordered_gnn::detail {

/// Arguments of the registered op `ordered_rows`.
struct OrderedRowsArguments {
  at::Tensor nodes;  ///< the rows' places in the dropout mask
  at::Tensor m;
  LayerArguments layer;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.nodes, self.m, self.layer);
  }
};

/// Arguments of the registered op `ordered_rows_backward`.
struct OrderedRowsBackwardArguments {
  at::Tensor nodes;
  KeptLayer kept;  ///< with m
  at::Tensor grad_out;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.nodes, self.kept, self.grad_out);
  }
};

/// Calls the registered op, which GPUs have: out, gate, and for backward
/// logits, mean and rstd.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_rows(const OrderedRowsArguments& arguments);

/// Gradients of h, m, prev_gate, gate_weight, gate_bias, norm_weight and
/// norm_bias.
using OrderedRowsGradients =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
               at::Tensor, at::Tensor>;

/// Calls the registered op. Overwrites grad_out, gate and logits.
OrderedRowsGradients ordered_rows_backward(
    const OrderedRowsBackwardArguments& arguments);

}  // namespace ordered_gnn::detail
