#include "ops/detail/edge_dot.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn::autograd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The gradient of either end is a sum over its edges of the other end, weighted
// with the gradients of the edges.
struct EdgeDot : torch::autograd::Function<EdgeDot> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& rowptr,
                            const at::Tensor& col, const at::Tensor& t_rowptr,
                            const at::Tensor& t_col, const at::Tensor& t_edge,
                            const at::Tensor& a, const at::Tensor& b,
                            int64_t heads) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({rowptr, col, t_rowptr, t_col, t_edge, a, b});
    return detail::edge_dot(rowptr, col, t_rowptr, t_col, t_edge, a, b, heads);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &rowptr = saved[0], &col = saved[1], &t_rowptr = saved[2],
                     &t_col = saved[3], &t_edge = saved[4], &a = saved[5],
                     &b = saved[6];
    const at::Tensor grad_a = detail::weighted_aggregate(
        rowptr, col, t_rowptr, t_col, t_edge, grads[0], b);
    const at::Tensor grad_b =
        detail::weighted_aggregate(t_rowptr, t_col, rowptr, col, t_edge,
                                   grads[0].index_select(0, t_edge), a);
    const at::Tensor none;
    return {none, none, none, none, none, grad_a, grad_b, none};
  }
};

at::Tensor edge_dot(const at::Tensor& rowptr, const at::Tensor& col,
                    const at::Tensor& t_rowptr, const at::Tensor& t_col,
                    const at::Tensor& t_edge, const at::Tensor& a,
                    const at::Tensor& b, int64_t heads) {
  return EdgeDot::apply(rowptr, col, t_rowptr, t_col, t_edge, a, b, heads);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) { m.impl("edge_dot", edge_dot); }

}  // namespace ordered_gnn::autograd
