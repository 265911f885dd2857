#include "ops/detail/layer_norm.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordered_gnn::autograd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct LayerNorm : torch::autograd::Function<LayerNorm> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& x,
                               const at::Tensor& weight, const at::Tensor& bias,
                               double eps, bool relu, double p, int64_t seed,
                               int64_t step, int64_t site) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, mean, rstd] =
        detail::layer_norm(x, weight, bias, eps, relu, p, seed, step, site);
    ctx->saved_data["relu"] = relu;
    ctx->saved_data["p"] = p;
    ctx->saved_data["seed"] = seed;
    ctx->saved_data["step"] = step;
    ctx->saved_data["site"] = site;
    ctx->save_for_backward({x, mean, rstd, weight});
    ctx->mark_non_differentiable({mean, rstd});
    return {out, mean, rstd};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const auto [grad_x, grad_weight, grad_bias] = detail::layer_norm_backward(
        grads[0], saved[0], saved[1], saved[2], saved[3],
        ctx->saved_data["relu"].toBool(), ctx->saved_data["p"].toDouble(),
        ctx->saved_data["seed"].toInt(), ctx->saved_data["step"].toInt(),
        ctx->saved_data["site"].toInt());
    const at::Tensor none;
    return {grad_x, grad_weight, grad_bias, none, none, none, none, none, none};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    double eps, bool relu, double p, int64_t seed, int64_t step, int64_t site) {
  const variable_list results =
      LayerNorm::apply(x, weight, bias, eps, relu, p, seed, step, site);
  return {results[0], results[1], results[2]};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("layer_norm", layer_norm);
}

}  // namespace ordered_gnn::autograd
