#include "ops/detail/ordered_layer.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::optional;
using detail::OrderedLayerArguments;
using detail::OrderedLayerBackwardArguments;
using detail::OrderedLayerOutputs;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct OrderedLayer : torch::autograd::Function<OrderedLayer> {
  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(AutogradContext* ctx, const at::Tensor& /*h*/,
                               const optional<at::Tensor>& /*prev_gate*/,
                               at::TensorList /*parameters*/,
                               const OrderedLayerArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, gate, m, logits, mean, rstd] =
        detail::ordered_layer(arguments);
    OrderedLayerBackwardArguments kept;
    kept.lists = arguments.lists;
    kept.kept = detail::kept_inputs(arguments.layer);
    kept.kept.gate = gate;
    kept.kept.m = detail::when_defined(m);
    kept.kept.logits = logits;
    kept.kept.mean = mean;
    kept.kept.rstd = rstd;
    kept.reuse_memory = arguments.reuse_memory;
    detail::save_arguments(ctx, kept);
    // The gate of the last layer is not used further: no zeros for it.
    ctx->set_materialize_grads(false);
    return {out, gate};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto saved = detail::saved_arguments<OrderedLayerBackwardArguments>(ctx);
    saved.grad_out =
        grads[0].defined() ? grads[0] : at::zeros_like(saved.kept.h);
    saved.grad_gate = detail::when_defined(grads[1]);
    if (saved.reuse_memory && saved.grad_out.is_cuda()) {
      TORCH_CHECK(ctx->saved_data.count("spent") == 0,
                  "ordered_layer: with reuse_memory backward runs once; leave "
                  "that setting off to run it again");
      ctx->saved_data["spent"] = true;
    }
    auto [h, prev_gate, weight, bias, norm_weight, norm_bias] =
        detail::ordered_layer_backward(saved);
    // It may be the gate itself, which is a result of this node.
    if (prev_gate.defined()) prev_gate = prev_gate.detach();
    return {h, prev_gate, weight, bias, norm_weight, norm_bias, at::Tensor()};
  }
};

OrderedLayerOutputs ordered_layer(const OrderedLayerArguments& given) {
  OrderedLayerArguments arguments = given;
  // Without a gradient to come nothing is kept: a layer's memory is gone with
  // the layer.
  arguments.keep = at::GradMode::is_enabled();
  if (!arguments.keep) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    return detail::ordered_layer(arguments);
  }
  const OrderedLayerParameters& p = arguments.layer.parameters;
  const at::Tensor parameters[] = {p.gate_weight, p.gate_bias, p.norm_weight,
                                   p.norm_bias};
  const variable_list results =
      OrderedLayer::apply(arguments.layer.h, arguments.layer.prev_gate,
                          at::TensorList(parameters), arguments);
  return {results[0], results[1], {}, {}, {}, {}};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("ordered_layer", detail::registered<ordered_layer>);
}

}  // namespace ordered_gnn::autograd
