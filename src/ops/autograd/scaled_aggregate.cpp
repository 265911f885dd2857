#include "ops/detail/scaled_aggregate.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::ScaledAggregateArguments;
using detail::ScaledLists;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct ScaledAggregate : torch::autograd::Function<ScaledAggregate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& /*h*/,
                            const ScaledAggregateArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    detail::save_arguments(ctx, arguments.lists);
    return detail::scaled_aggregate(arguments);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto lists = detail::saved_arguments<ScaledLists>(ctx);
    return {detail::scaled_aggregate({lists.transposed(), grads[0]}),
            at::Tensor()};
  }
};

at::Tensor scaled_aggregate(const ScaledAggregateArguments& arguments) {
  return ScaledAggregate::apply(arguments.h, arguments);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("scaled_aggregate", detail::registered<scaled_aggregate>);
}

}  // namespace ordered_gnn::autograd
