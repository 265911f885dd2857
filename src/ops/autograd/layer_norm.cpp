#include "ops/detail/layer_norm.h"

#include <torch/library.h>

#include "ops/autograd/node.h"
#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::LayerNormArguments;
using detail::LayerNormBackwardArguments;

struct LayerNorm : torch::autograd::Function<LayerNorm> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& x,
                               const at::Tensor& weight,
                               const at::Tensor& /*bias*/,
                               const LayerNormArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, mean, rstd] = detail::layer_norm(arguments);
    detail::save_arguments(
        ctx, LayerNormBackwardArguments{/*grad=*/{}, x, mean, rstd, weight,
                                        arguments.relu, arguments.dropout});
    ctx->mark_non_differentiable({mean, rstd});
    return {out, mean, rstd};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto saved = detail::saved_arguments<LayerNormBackwardArguments>(ctx);
    saved.grad = grads[0];
    const auto [grad_x, grad_weight, grad_bias] =
        detail::layer_norm_backward(saved);
    return {grad_x, grad_weight, grad_bias, at::Tensor()};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const LayerNormArguments& arguments) {
  const variable_list results = LayerNorm::apply(arguments.x, arguments.weight,
                                                 arguments.bias, arguments);
  return {results[0], results[1], results[2]};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("layer_norm", detail::registered<layer_norm>);
}

}  // namespace ordered_gnn::autograd
