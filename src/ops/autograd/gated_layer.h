#pragma once
#include <ATen/Functions.h>

#include <tuple>

#include "ops/autograd/node.h"
#include "ops/detail/candidate_layer.h"
#include "ops/detail/gated_layer.h"
#include "ops/detail/ordered_layer.h"

namespace ordered_gnn::autograd {

/// A node takes no undefined tensors; a norm that is none has no others.
inline void add_defined(variable_list& list, at::TensorList tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.defined()) list.push_back(tensor);
  }
}

/// All that a layer has gradients of, in their order; undefined where there is
/// none.
inline variable_list inputs_of(const detail::LayerArguments& layer) {
  const OrderedLayerParameters& p = layer.parameters;
  return {layer.h,       detail::value_or_undefined(layer.prev_gate),
          p.gate_weight, p.gate_bias,
          p.norm_weight, p.norm_bias};
}

inline variable_list inputs_of(const detail::CandidateArguments& layer) {
  const auto& candidate_norm = layer.candidate_norm;
  return {layer.h,
          detail::value_or_undefined(layer.prev_gate),
          layer.gate_weight,
          layer.gate_bias,
          layer.candidate_weight,
          layer.candidate_bias,
          detail::value_or_undefined(candidate_norm.weight),
          detail::value_or_undefined(candidate_norm.bias),
          detail::value_or_undefined(layer.norm.weight),
          detail::value_or_undefined(layer.norm.bias)};
}

/// The parameters of a layer that there are, in the order of their gradients.
template <typename Layer>
variable_list learned_by(const Layer& layer) {
  const variable_list inputs = inputs_of(layer);
  variable_list parameters;
  add_defined(parameters, at::TensorList(inputs).slice(2));
  return parameters;
}

/// What backward of a layer is given; gradients of the results are still
/// undefined.
template <typename Layer, typename Kept>
detail::GatedLayerBackwardArguments<Kept> backward_of(
    const detail::GatedLayerArguments<Layer>& arguments, const Kept& kept) {
  detail::GatedLayerBackwardArguments<Kept> saved;
  saved.lists = arguments.lists;
  saved.kept = kept;
  saved.reuse_memory = arguments.reuse_memory;
  return saved;
}

/// Saves `kept` and what backward needs besides.
template <typename Layer, typename Kept>
void save_layer(AutogradContext* ctx,
                const detail::GatedLayerArguments<Layer>& arguments,
                const Kept& kept) {
  detail::save_arguments(ctx, backward_of(arguments, kept));
  // The gate of the last layer is not used further: no zeros for it.
  ctx->set_materialize_grads(false);
}

inline const char* op_of(const detail::KeptLayer& /*kept*/) {
  return "ordered_layer";
}
inline const char* op_of(const detail::KeptCandidateLayer& /*kept*/) {
  return "candidate_layer";
}

/// Sets the gradients of a layer's results, out and gate.
template <typename Arguments>
void take_gradients(Arguments& arguments, const variable_list& grads) {
  arguments.grad_out =
      grads[0].defined() ? grads[0] : at::zeros_like(arguments.kept.h);
  arguments.grad_gate = detail::when_defined(grads[1]);
}

/// @param is_spent  of the node; true from now on where backward writes over
///                  what was kept.
/// @throws c10::Error when it was true before.
template <typename Arguments>
void require_unspent(const Arguments& arguments, bool& is_spent) {
  if (!arguments.reuse_memory || !arguments.kept.h.is_cuda()) return;
  TORCH_CHECK(!is_spent, op_of(arguments.kept),
              ": with reuse_memory backward runs once; leave that setting off "
              "to run it again");
  is_spent = true;
}

/// What backward of a layer is given: what forward saved, and the gradients of
/// its results.
/// @throws c10::Error when backward ran before, over memory that it reuses.
template <typename Arguments>
Arguments layer_backward_arguments(AutogradContext* ctx,
                                   const variable_list& grads) {
  auto arguments = detail::saved_arguments<Arguments>(ctx);
  take_gradients(arguments, grads);
  bool is_spent = ctx->saved_data.count("spent") != 0;
  require_unspent(arguments, is_spent);
  if (is_spent) ctx->saved_data["spent"] = true;
  return arguments;
}

/// The tensors of a tuple, in order.
template <typename Tensors>
variable_list tensors_of(const Tensors& tensors) {
  return std::apply([](const auto&... each) { return variable_list{each...}; },
                    tensors);
}

/// What a node hands back of the gradients of h, prev_gate and parameters:
/// those of parameters that there are, and none for `others`.
inline variable_list handed_back(const variable_list& gradients,
                                 size_t others) {
  variable_list result = {gradients[0], gradients[1]};
  add_defined(result, at::TensorList(gradients).slice(2));
  result.resize(result.size() + others);
  return result;
}

/// The results of a layer whose node has given `out` and `gate`.
template <typename Outputs>
Outputs outputs_of_node(const variable_list& out_and_gate) {
  Outputs outputs;
  std::get<0>(outputs) = out_and_gate[0];
  std::get<1>(outputs) = out_and_gate[1];
  return outputs;
}

}  // namespace ordered_gnn::autograd
