#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/optional.h"

namespace ordered_gnn::detail {

/// Arguments of the registered op `ordered_gate`.
struct OrderedGateArguments {
  int64_t mode = 0;  ///< a GateMode
  at::Tensor logits, prev_gate, h, m;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.mode, self.logits, self.prev_gate, self.h, self.m);
  }
};

/// Arguments of the registered op `ordered_gate_backward`.
struct OrderedGateBackwardArguments {
  OrderedGateArguments forward;
  at::Tensor gate;
  at::Tensor grad_h;
  optional<at::Tensor> grad_gate;  ///< nothing stands for zeros

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.forward, self.gate, self.grad_h, self.grad_gate);
  }
};

void check_ordered_gate(const OrderedGateArguments& arguments);

/// Calls the registered op: {h', gate}.
std::tuple<at::Tensor, at::Tensor> ordered_gate(
    const OrderedGateArguments& arguments);

/// Calls the registered op: gradients of logits, prev_gate, h and m.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(const OrderedGateBackwardArguments& arguments);

}  // namespace ordered_gnn::detail
