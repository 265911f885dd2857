#include "ops/detail/cross_entropy.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::CrossEntropyArguments;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& /*logits*/,
                            const CrossEntropyArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    detail::save_arguments(ctx, arguments);
    return detail::cross_entropy(arguments);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {
        detail::cross_entropy_backward(
            {detail::saved_arguments<CrossEntropyArguments>(ctx), grads[0]}),
        at::Tensor()};
  }
};

at::Tensor cross_entropy(const CrossEntropyArguments& arguments) {
  return CrossEntropy::apply(arguments.logits, arguments);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("cross_entropy", detail::registered<cross_entropy>);
}

}  // namespace ordered_gnn::autograd
