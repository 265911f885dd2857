#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/saved_arguments.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// index_select would add up its gradient in any order on a GPU; sums over the
// lists keep theirs.
struct EdgeScores : torch::autograd::Function<EdgeScores> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& source,
                            const at::Tensor& target, const EdgeLists& lists) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    save_arguments(ctx, lists);
    return source.index_select(0, lists.col) +
           target.index_select(0, receivers(lists.rowptr, lists.col.numel()));
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto lists = saved_arguments<EdgeLists>(ctx);
    const bool has_heads = grads[0].dim() == 2;
    const at::Tensor ones =
        at::ones({lists.rowptr.numel() - 1, has_heads ? grads[0].size(1) : 1},
                 grads[0].options());
    const at::Tensor of_target = weighted_aggregate({lists, grads[0], ones});
    const at::Tensor of_source = transposed_aggregate(lists, grads[0], ones);
    return {has_heads ? of_source : of_source.squeeze(1),
            has_heads ? of_target : of_target.squeeze(1), at::Tensor()};
  }
};

}  // namespace

at::Tensor edge_scores(const EdgeLists& lists, const at::Tensor& source,
                       const at::Tensor& target) {
  return EdgeScores::apply(source, target, lists);
}

}  // namespace ordered_gnn::detail
