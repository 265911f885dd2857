#include "ops/detail/scaled_aggregate.h"

#include <torch/library.h>

#include "ops/autograd/node.h"

namespace ordered_gnn::autograd {
namespace {

using detail::ScaledAggregateArguments;

variable_list scaled_aggregate_gradients(const ScaledAggregateArguments& kept,
                                         const at::Tensor& grad) {
  return {detail::scaled_aggregate({kept.lists.transposed(), grad})};
}

using ScaledAggregate =
    OpNode<detail::scaled_aggregate, Keeps::all_but_inputs,
           scaled_aggregate_gradients, &ScaledAggregateArguments::h>;

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("scaled_aggregate", detail::registered<ScaledAggregate::call>);
}

}  // namespace ordered_gnn::autograd
