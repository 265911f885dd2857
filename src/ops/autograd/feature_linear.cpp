#include "ops/detail/feature_linear.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::SparseLinearArguments;
using detail::SparseLinearBackwardArguments;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct SparseLinear : torch::autograd::Function<SparseLinear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& /*weight*/,
                            const at::Tensor& /*bias*/,
                            const SparseLinearArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    detail::save_arguments(
        ctx, SparseLinearBackwardArguments{arguments.columns, /*grad=*/{},
                                           arguments.dropout});
    return detail::sparse_linear(arguments);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto saved = detail::saved_arguments<SparseLinearBackwardArguments>(ctx);
    saved.grad = grads[0];
    const auto [grad_weight, grad_bias] = detail::sparse_linear_backward(saved);
    return {grad_weight, grad_bias, at::Tensor()};
  }
};

at::Tensor sparse_linear(const SparseLinearArguments& arguments) {
  return SparseLinear::apply(arguments.weight, arguments.bias, arguments);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("sparse_linear", detail::registered<sparse_linear>);
}

}  // namespace ordered_gnn::autograd
