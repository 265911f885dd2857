#include "ops/detail/dropout.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::DropoutArguments;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Dropout : torch::autograd::Function<Dropout> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& /*x*/,
                            const DropoutArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    detail::save_arguments(ctx, arguments.dropout);
    return detail::dropout(arguments);
  }

  // The same key gives the same mask again.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {detail::dropout(
                {grads[0], detail::saved_arguments<detail::Dropout>(ctx)}),
            at::Tensor()};
  }
};

at::Tensor dropout(const DropoutArguments& arguments) {
  return Dropout::apply(arguments.x, arguments);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("dropout", detail::registered<dropout>);
}

}  // namespace ordered_gnn::autograd
