#include "ops/transposed_product.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/checks.h"
#include "ops/detail/linear.h"

namespace ordered_gnn::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// x w^T without a bias.
at::Tensor plain_product(const at::Tensor& x, const at::Tensor& weight) {
  return detail::linear(x, weight, at::zeros({weight.size(0)}, x.options()));
}

struct TransposedProduct : torch::autograd::Function<TransposedProduct> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& a,
                            const at::Tensor& b) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({a, b});
    return detail::linear_weight_gradient(a, b);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad = grads[0].contiguous();
    return {plain_product(saved[1], grad),
            plain_product(saved[0], grad.t().contiguous())};
  }
};

}  // namespace

at::Tensor transposed_product(const at::Tensor& a, const at::Tensor& b) {
  constexpr const char* kOp = "transposed_product";
  detail::check_float(kOp, "a", a);
  TORCH_CHECK(a.dim() == 2, kOp, ": a must be [N, A], got ", a.sizes());
  TORCH_CHECK(b.dim() == 2 && b.size(0) == a.size(0), kOp, ": b must be [",
              a.size(0), ", B] to match a, got ", b.sizes());
  detail::check_like(kOp, "b", b, "a", a);
  return TransposedProduct::apply(a.contiguous(), b.contiguous());
}

}  // namespace ordered_gnn::ops
