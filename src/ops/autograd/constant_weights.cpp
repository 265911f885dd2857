#include "ops/autograd/node.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn {
namespace autograd {
namespace {

using detail::WeightedAggregateArguments;

variable_list constant_weight_gradients(const WeightedAggregateArguments& kept,
                                        const at::Tensor& grad) {
  return {detail::transposed_aggregate(kept.lists, kept.weight, grad)};
}

using ConstantWeights =
    OpNode<detail::weighted_aggregate, Keeps::all_but_inputs,
           constant_weight_gradients, &WeightedAggregateArguments::h>;

}  // namespace
}  // namespace autograd

at::Tensor detail::constant_weighted_aggregate(const EdgeLists& lists,
                                               const at::Tensor& weight,
                                               const at::Tensor& h) {
  return autograd::ConstantWeights::call(
      {lists, weight.to(h.scalar_type()), h});
}

}  // namespace ordered_gnn
