#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/lists.h"

namespace ordered_gnn::detail {

/// Arguments of the registered op `receive_rows`; the lists are those of
/// receiver_lists(), the scales those of all nodes.
struct ReceiveRowsArguments {
  at::Tensor nodes;
  ScaledLists lists;
  at::Tensor h;
  optional<at::Tensor> prev_gate;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.nodes, self.lists, self.h, self.prev_gate);
  }
};

/// Arguments of the registered op `receive_rows_backward`.
struct ReceiveRowsBackwardArguments {
  at::Tensor nodes, place;
  ScaledLists lists;
  at::Tensor grad_own, grad_m;
  optional<at::Tensor> grad_prev;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.nodes, self.place, self.lists, self.grad_own,
                    self.grad_m, self.grad_prev);
  }
};

/// Calls the registered op, which GPUs have: h, m and prev_gate (undefined
/// without one) of the nodes that the lists are of.
std::tuple<at::Tensor, at::Tensor, at::Tensor> receive_rows(
    const ReceiveRowsArguments& arguments);

/// Calls the registered op: gradients of h and prev_gate.
std::tuple<at::Tensor, at::Tensor> receive_rows_backward(
    const ReceiveRowsBackwardArguments& arguments);

}  // namespace ordered_gnn::detail
