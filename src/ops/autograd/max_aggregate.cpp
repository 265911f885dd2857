#include "ops/detail/max_aggregate.h"

#include <torch/library.h>

#include "ops/autograd/node.h"

namespace ordered_gnn::autograd {
namespace {

struct MaxAggregate : torch::autograd::Function<MaxAggregate> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& rowptr,
                               const at::Tensor& col,
                               const at::Tensor& t_rowptr,
                               const at::Tensor& t_col, const at::Tensor& h) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, winner] =
        detail::max_aggregate(rowptr, col, t_rowptr, t_col, h);
    ctx->save_for_backward({t_rowptr, t_col, winner});
    ctx->mark_non_differentiable({winner});
    return {out, winner};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor none;
    return {
        none, none, none, none,
        detail::max_aggregate_backward(saved[0], saved[1], saved[2], grads[0])};
  }
};

std::tuple<at::Tensor, at::Tensor> max_aggregate(const at::Tensor& rowptr,
                                                 const at::Tensor& col,
                                                 const at::Tensor& t_rowptr,
                                                 const at::Tensor& t_col,
                                                 const at::Tensor& h) {
  const variable_list results =
      MaxAggregate::apply(rowptr, col, t_rowptr, t_col, h);
  return {results[0], results[1]};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("max_aggregate", max_aggregate);
}

}  // namespace ordered_gnn::autograd
