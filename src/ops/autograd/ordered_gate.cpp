#include "ops/detail/ordered_gate.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordered_gnn::autograd {
namespace {

using detail::optional;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct OrderedGate : torch::autograd::Function<OrderedGate> {
  static variable_list forward(AutogradContext* ctx, int64_t mode,
                               const at::Tensor& logits,
                               const at::Tensor& prev_gate, const at::Tensor& h,
                               const at::Tensor& m) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, gate] =
        detail::ordered_gate(mode, logits, prev_gate, h, m);
    ctx->saved_data["mode"] = mode;
    ctx->save_for_backward({logits, prev_gate, h, m, gate});
    // The gate of the last layer is not used further: no zeros for it.
    ctx->set_materialize_grads(false);
    return {out, gate};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad_h =
        grads[0].defined() ? grads[0] : at::zeros_like(saved[2]);
    const optional<at::Tensor> grad_gate = grads[1].defined()
                                               ? optional<at::Tensor>(grads[1])
                                               : optional<at::Tensor>();
    auto [d_logits, d_prev, d_h, d_m] = detail::ordered_gate_backward(
        ctx->saved_data["mode"].toInt(), saved[0], saved[1], saved[2], saved[3],
        saved[4], grad_h, grad_gate);
    return {at::Tensor(), d_logits, d_prev, d_h, d_m};
  }
};

std::tuple<at::Tensor, at::Tensor> ordered_gate(int64_t mode,
                                                const at::Tensor& logits,
                                                const at::Tensor& prev_gate,
                                                const at::Tensor& h,
                                                const at::Tensor& m) {
  const variable_list results =
      OrderedGate::apply(mode, logits, prev_gate, h, m);
  return {results[0], results[1]};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("ordered_gate", ordered_gate);
}

}  // namespace ordered_gnn::autograd
