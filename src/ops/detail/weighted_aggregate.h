#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/lists.h"

namespace ordered_gnn::detail {

/// Arguments of the registered op `weighted_aggregate`.
struct WeightedAggregateArguments {
  EdgeLists lists;
  at::Tensor weight, h;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.lists, self.weight, self.h);
  }
};

/// Arguments of the registered op `weighted_aggregate_backward`.
struct WeightedAggregateBackwardArguments {
  WeightedAggregateArguments forward;
  at::Tensor grad;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.forward, self.grad);
  }
};

void check_weighted_aggregate(const WeightedAggregateArguments& arguments);

/// Calls the registered op.
at::Tensor weighted_aggregate(const WeightedAggregateArguments& arguments);

/// weighted_aggregate() with weights that are constants: its gradient is that
/// of h alone, the same op over the transposed lists. They take the type of h.
at::Tensor constant_weighted_aggregate(const EdgeLists& lists,
                                       const at::Tensor& weight,
                                       const at::Tensor& h);

/// Calls the registered op; returns the gradients of weight and h.
std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward(
    const WeightedAggregateBackwardArguments& arguments);

/// The sum over the transposed lists of `of_edges`, given in the order of
/// Graph::in(), times rows of `h`.
at::Tensor transposed_aggregate(const EdgeLists& lists,
                                const at::Tensor& of_edges,
                                const at::Tensor& h);

/// source[sender] + target[receiver] of every edge, [E] or [E, H].
at::Tensor edge_scores(const EdgeLists& lists, const at::Tensor& source,
                       const at::Tensor& target);

/// [E] int64: the row that each entry of a list belongs to. Its size is given
/// because asking a GPU for it would make the host wait.
at::Tensor receivers(const at::Tensor& rowptr, int64_t num_edges);

}  // namespace ordered_gnn::detail
