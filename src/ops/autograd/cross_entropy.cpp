#include "ops/detail/cross_entropy.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordered_gnn::autograd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& logits,
                            const at::Tensor& nodes, const at::Tensor& labels) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({logits, nodes, labels});
    return detail::cross_entropy(logits, nodes, labels);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor none;
    return {
        detail::cross_entropy_backward(grads[0], saved[0], saved[1], saved[2]),
        none, none};
  }
};

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels) {
  return CrossEntropy::apply(logits, nodes, labels);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("cross_entropy", cross_entropy);
}

}  // namespace ordered_gnn::autograd
