#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// index_select would add up its gradient in any order on a GPU; sums over the
// lists keep theirs.
struct EdgeScores : torch::autograd::Function<EdgeScores> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& rowptr,
                            const at::Tensor& col, const at::Tensor& t_rowptr,
                            const at::Tensor& t_col, const at::Tensor& t_edge,
                            const at::Tensor& source,
                            const at::Tensor& target) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({rowptr, col, t_rowptr, t_col, t_edge});
    return source.index_select(0, col) +
           target.index_select(0, detail::receivers(rowptr, col.numel()));
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &rowptr = saved[0], &col = saved[1], &t_rowptr = saved[2],
                     &t_col = saved[3], &t_edge = saved[4];
    const bool has_heads = grads[0].dim() == 2;
    const at::Tensor ones =
        at::ones({rowptr.numel() - 1, has_heads ? grads[0].size(1) : 1},
                 grads[0].options());
    const at::Tensor of_target = detail::weighted_aggregate(
        rowptr, col, t_rowptr, t_col, t_edge, grads[0], ones);
    const at::Tensor of_source =
        detail::weighted_aggregate(t_rowptr, t_col, rowptr, col, t_edge,
                                   grads[0].index_select(0, t_edge), ones);
    const at::Tensor none;
    return {none,
            none,
            none,
            none,
            none,
            has_heads ? of_source : of_source.squeeze(1),
            has_heads ? of_target : of_target.squeeze(1)};
  }
};

}  // namespace

at::Tensor edge_scores(const at::Tensor& rowptr, const at::Tensor& col,
                       const at::Tensor& t_rowptr, const at::Tensor& t_col,
                       const at::Tensor& t_edge, const at::Tensor& source,
                       const at::Tensor& target) {
  return EdgeScores::apply(rowptr, col, t_rowptr, t_col, t_edge, source,
                           target);
}

}  // namespace ordered_gnn::detail
