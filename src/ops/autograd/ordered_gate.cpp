#include "ops/detail/ordered_gate.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/autograd/node.h"
#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::OrderedGateArguments;
using detail::OrderedGateBackwardArguments;

struct OrderedGate : torch::autograd::Function<OrderedGate> {
  // `inputs` are the tensors in `arguments`, for their gradients.
  static variable_list forward(AutogradContext* ctx, at::TensorList /*inputs*/,
                               const OrderedGateArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, gate] = detail::ordered_gate(arguments);
    OrderedGateBackwardArguments kept;
    kept.forward = arguments;
    kept.gate = gate;
    detail::save_arguments(ctx, kept);
    // The gate of the last layer is not used further: no zeros for it.
    ctx->set_materialize_grads(false);
    return {out, gate};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto saved = detail::saved_arguments<OrderedGateBackwardArguments>(ctx);
    saved.grad_h =
        grads[0].defined() ? grads[0] : at::zeros_like(saved.forward.h);
    saved.grad_gate = detail::when_defined(grads[1]);
    const auto [logits, prev_gate, h, m] = detail::ordered_gate_backward(saved);
    return {logits, prev_gate, h, m, at::Tensor()};
  }
};

std::tuple<at::Tensor, at::Tensor> ordered_gate(
    const OrderedGateArguments& arguments) {
  const at::Tensor inputs[] = {arguments.logits, arguments.prev_gate,
                               arguments.h, arguments.m};
  const variable_list results =
      OrderedGate::apply(at::TensorList(inputs), arguments);
  return {results[0], results[1]};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("ordered_gate", detail::registered<ordered_gate>);
}

}  // namespace ordered_gnn::autograd
