#include "ops/detail/edge_softmax.h"

#include <torch/library.h>

#include "ops/autograd/node.h"

namespace ordered_gnn::autograd {
namespace {

struct EdgeSoftmax : torch::autograd::Function<EdgeSoftmax> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& rowptr,
                            const at::Tensor& score) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const at::Tensor out = detail::edge_softmax(rowptr, score);
    ctx->save_for_backward({rowptr, out});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    return {at::Tensor(),
            detail::edge_softmax_backward(saved[0], saved[1], grads[0])};
  }
};

at::Tensor edge_softmax(const at::Tensor& rowptr, const at::Tensor& score) {
  return EdgeSoftmax::apply(rowptr, score);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("edge_softmax", edge_softmax);
}

}  // namespace ordered_gnn::autograd
