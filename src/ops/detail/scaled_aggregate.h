#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/lists.h"

namespace ordered_gnn::detail {

/// Arguments of the registered op `scaled_aggregate`.
struct ScaledAggregateArguments {
  ScaledLists lists;
  at::Tensor h;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.lists, self.h);
  }
};

/// Arguments of the registered op `propagation_step`.
struct PropagationStepArguments {
  ScaledLists lists;
  at::Tensor h, start;
  double share = 0;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.lists, self.h, self.start, self.share);
  }
};

/// Lists, scales and rows; h may have rows behind those of the lists, which
/// only send, with their scales.
void check_scaled_aggregate(const ScaledLists& lists, const at::Tensor& h);
/// One row of h for every node of the graph.
void check_row_per_node(const char* op, const Graph& graph,
                        const at::Tensor& h);

/// Calls the registered op through the dispatcher.
at::Tensor scaled_aggregate(const ScaledAggregateArguments& arguments);

/// Calls the registered op, which has no gradient of its own: the scaled sum
/// over the rows of `h`, [N, D], plus share * start.
at::Tensor propagation_step(const PropagationStepArguments& arguments);

}  // namespace ordered_gnn::detail
