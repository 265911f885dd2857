#include "ops/detail/linear.h"

#include <torch/library.h>

#include "ops/autograd/node.h"

namespace ordered_gnn::autograd {
namespace {

struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x,
                            const at::Tensor& weight, const at::Tensor& bias) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x, weight});
    return detail::linear(x, weight, bias);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const auto [grad_x, grad_weight, grad_bias] = detail::linear_backward(
        grads[0], saved[0], saved[1], ctx->needs_input_grad(0));
    return {grad_x, grad_weight, grad_bias};
  }
};

struct PairLinear : torch::autograd::Function<PairLinear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& a,
                            const at::Tensor& b, const at::Tensor& weight,
                            const at::Tensor& bias) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({a, b, weight});
    return detail::pair_linear(a, b, weight, bias);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const auto [grad_a, grad_b, grad_weight, grad_bias] =
        detail::pair_linear_backward(grads[0], saved[0], saved[1], saved[2]);
    return {grad_a, grad_b, grad_weight, grad_bias};
  }
};

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  return Linear::apply(x, weight, bias);
}

at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  return PairLinear::apply(a, b, weight, bias);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("linear", linear);
  m.impl("pair_linear", pair_linear);
}

}  // namespace ordered_gnn::autograd
