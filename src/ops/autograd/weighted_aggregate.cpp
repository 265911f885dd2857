#include "ops/detail/weighted_aggregate.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordered_gnn::autograd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct WeightedAggregate : torch::autograd::Function<WeightedAggregate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& rowptr,
                            const at::Tensor& col, const at::Tensor& t_rowptr,
                            const at::Tensor& t_col, const at::Tensor& t_edge,
                            const at::Tensor& weight, const at::Tensor& h) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({rowptr, col, t_rowptr, t_col, t_edge, weight, h});
    return detail::weighted_aggregate(rowptr, col, t_rowptr, t_col, t_edge,
                                      weight, h);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const auto [grad_weight, grad_h] = detail::weighted_aggregate_backward(
        saved[0], saved[1], saved[2], saved[3], saved[4], saved[5], saved[6],
        grads[0]);
    const at::Tensor none;
    return {none, none, none, none, none, grad_weight, grad_h};
  }
};

at::Tensor weighted_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                              const at::Tensor& t_rowptr,
                              const at::Tensor& t_col, const at::Tensor& t_edge,
                              const at::Tensor& weight, const at::Tensor& h) {
  return WeightedAggregate::apply(rowptr, col, t_rowptr, t_col, t_edge, weight,
                                  h);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("weighted_aggregate", weighted_aggregate);
}

}  // namespace ordered_gnn::autograd
