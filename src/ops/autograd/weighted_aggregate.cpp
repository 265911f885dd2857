#include "ops/detail/weighted_aggregate.h"

#include <torch/library.h>

#include "ops/autograd/node.h"

namespace ordered_gnn::autograd {
namespace {

using detail::WeightedAggregateArguments;

variable_list weighted_aggregate_gradients(
    const WeightedAggregateArguments& kept, const at::Tensor& grad) {
  const auto [weight, h] = detail::weighted_aggregate_backward({kept, grad});
  return {weight, h};
}

using WeightedAggregate =
    OpNode<detail::weighted_aggregate, Keeps::all, weighted_aggregate_gradients,
           &WeightedAggregateArguments::weight, &WeightedAggregateArguments::h>;

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("weighted_aggregate", detail::registered<WeightedAggregate::call>);
}

}  // namespace ordered_gnn::autograd
