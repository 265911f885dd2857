#include "ops/autograd/gated_layer.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <array>

namespace ordered_gnn::autograd {
namespace {

// The node `Node` of `op`, a layer whose gradients are those of `undo`.
template <typename Node, auto op, auto undo>
struct GatedLayer : torch::autograd::Function<Node> {
  using Arguments = typename detail::KernelOfStruct<decltype(op)>::Taken;
  using Outputs = typename detail::KernelOfStruct<decltype(op)>::Given;
  using Saved = typename detail::KernelOfStruct<decltype(undo)>::Taken;

  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(
      AutogradContext* ctx, const at::Tensor& /*h*/,
      const detail::optional<at::Tensor>& /*prev_gate*/,
      at::TensorList /*parameters*/, const Arguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const Outputs results = op(arguments);
    save_layer(ctx, arguments, detail::kept_of(arguments.layer, results));
    return {std::get<0>(results), std::get<1>(results)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    variable_list gradients =
        tensors_of(undo(layer_backward_arguments<Saved>(ctx, grads)));
    // It may be the gate itself, which is a result of this node.
    at::Tensor& prev_gate = gradients[1];
    if (prev_gate.defined()) prev_gate = prev_gate.detach();
    return handed_back(gradients, 1);
  }

  // The op, recorded; to be registered for Autograd.
  static Outputs call(const Arguments& given) {
    // Without a gradient to come nothing is kept: a layer's memory is gone with
    // the layer. A program that was traced asks for what its own backward
    // needs.
    if (given.keep || !at::GradMode::is_enabled()) {
      at::AutoDispatchBelowADInplaceOrView below_autograd;
      return op(given);
    }
    Arguments arguments = given;
    arguments.keep = true;
    const auto& layer = arguments.layer;
    const variable_list parameters = learned_by(layer);
    return outputs_of_node<Outputs>(Node::apply(
        layer.h, layer.prev_gate, at::TensorList(parameters), arguments));
  }
};

struct OrderedLayer : GatedLayer<OrderedLayer, &detail::ordered_layer,
                                 &detail::ordered_layer_backward> {};
struct CandidateLayer : GatedLayer<CandidateLayer, &detail::candidate_layer,
                                   &detail::candidate_layer_backward> {};

// Whether a call with these tensors would reach autograd's kernel first: no
// mode and no class of tensors, of tracing or autocast, listens before.
template <typename Tensors>
bool goes_straight_to_autograd(const Tensors& tensors) {
  const c10::impl::LocalDispatchKeySet local =
      c10::impl::tls_local_dispatch_key_set();
  c10::DispatchKeySet keys = local.included_;
  for (const at::Tensor* tensor : tensors) keys = keys | tensor->key_set();
  const c10::DispatchKey first =
      (keys - local.excluded_).highestPriorityTypeId();
  return first == c10::DispatchKey::AutogradCPU ||
         first == c10::DispatchKey::AutogradCUDA;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("ordered_layer", detail::registered_whole<&OrderedLayer::call>);
  m.impl("candidate_layer", detail::registered_whole<&CandidateLayer::call>);
}

}  // namespace ordered_gnn::autograd

namespace ordered_gnn::detail {

OrderedGateResult ordered_layer_of_python(
    const OrderedLayerArguments& arguments) {
  const LayerArguments& layer = arguments.layer;
  const OrderedLayerParameters& learned = layer.parameters;
  const at::Tensor no_gate;
  const std::array<const at::Tensor*, 6> given = {
      &layer.h,
      layer.prev_gate.has_value() ? &*layer.prev_gate : &no_gate,
      &learned.gate_weight,
      &learned.gate_bias,
      &learned.norm_weight,
      &learned.norm_bias};
  auto results = autograd::goes_straight_to_autograd(given)
                     ? autograd::OrderedLayer::call(arguments)
                     : ordered_layer(arguments);
  return {std::move(std::get<0>(results)), std::move(std::get<1>(results))};
}

}  // namespace ordered_gnn::detail
