#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/saved_arguments.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct ConstantWeights : torch::autograd::Function<ConstantWeights> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h,
                            const EdgeLists& lists, const at::Tensor& weight) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    save_arguments(ctx, WeightedAggregateArguments{lists, weight, {}});
    return weighted_aggregate({lists, weight, h});
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = saved_arguments<WeightedAggregateArguments>(ctx);
    const at::Tensor none;
    return {transposed_aggregate(saved.lists, saved.weight, grads[0]), none,
            none};
  }
};

}  // namespace

at::Tensor constant_weighted_aggregate(const EdgeLists& lists,
                                       const at::Tensor& weight,
                                       const at::Tensor& h) {
  return ConstantWeights::apply(h, lists, weight.to(h.scalar_type()));
}

}  // namespace ordered_gnn::detail
