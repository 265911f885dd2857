#include "ops/detail/weighted_aggregate.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::WeightedAggregateArguments;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct WeightedAggregate : torch::autograd::Function<WeightedAggregate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& /*weight*/,
                            const at::Tensor& /*h*/,
                            const WeightedAggregateArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    detail::save_arguments(ctx, arguments);
    return detail::weighted_aggregate(arguments);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto [grad_weight, grad_h] = detail::weighted_aggregate_backward(
        {detail::saved_arguments<WeightedAggregateArguments>(ctx), grads[0]});
    return {grad_weight, grad_h, at::Tensor()};
  }
};

at::Tensor weighted_aggregate(const WeightedAggregateArguments& arguments) {
  return WeightedAggregate::apply(arguments.weight, arguments.h, arguments);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("weighted_aggregate", detail::registered<weighted_aggregate>);
}

}  // namespace ordered_gnn::autograd
