#include "ops/detail/ordered_layer.h"

#include <ATen/core/grad_mode.h>
#include <torch/library.h>

#include "ops/autograd/gated_layer.h"

namespace ordered_gnn::autograd {
namespace {

using detail::optional;
using detail::OrderedLayerArguments;
using detail::OrderedLayerBackwardArguments;
using detail::OrderedLayerOutputs;

struct OrderedLayer : torch::autograd::Function<OrderedLayer> {
  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(AutogradContext* ctx, const at::Tensor& /*h*/,
                               const optional<at::Tensor>& /*prev_gate*/,
                               at::TensorList /*parameters*/,
                               const OrderedLayerArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const OrderedLayerOutputs results = detail::ordered_layer(arguments);
    save_layer(ctx, arguments, detail::kept_of(arguments.layer, results));
    return {std::get<0>(results), std::get<1>(results)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto arguments =
        layer_backward_arguments<OrderedLayerBackwardArguments>("ordered_layer",
                                                                ctx, grads);
    auto [h, prev_gate, weight, bias, norm_weight, norm_bias] =
        detail::ordered_layer_backward(arguments);
    // It may be the gate itself, which is a result of this node.
    if (prev_gate.defined()) prev_gate = prev_gate.detach();
    return {h, prev_gate, weight, bias, norm_weight, norm_bias, at::Tensor()};
  }
};

OrderedLayerOutputs ordered_layer(const OrderedLayerArguments& given) {
  // Without a gradient to come nothing is kept: a layer's memory is gone with
  // the layer. A program that was traced asks for what its own backward needs.
  if (given.keep || !at::GradMode::is_enabled()) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    return detail::ordered_layer(given);
  }
  OrderedLayerArguments arguments = given;
  arguments.keep = true;
  const variable_list parameters = learned_by(arguments.layer);
  const variable_list results =
      OrderedLayer::apply(arguments.layer.h, arguments.layer.prev_gate,
                          at::TensorList(parameters), arguments);
  return {results[0], results[1], {}, {}, {}, {}};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("ordered_layer", detail::registered_whole<ordered_layer>);
}

}  // namespace ordered_gnn::autograd
