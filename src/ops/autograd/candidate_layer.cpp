#include "ops/detail/candidate_layer.h"

#include <ATen/core/grad_mode.h>
#include <torch/library.h>

#include "ops/autograd/gated_layer.h"

namespace ordered_gnn::autograd {
namespace {

using detail::CandidateLayerArguments;
using detail::CandidateLayerBackwardArguments;
using detail::CandidateLayerOutputs;

// A node takes no undefined tensors; a norm that is none has no others.
void add_defined(variable_list& list, at::TensorList tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.defined()) list.push_back(tensor);
  }
}

struct CandidateLayer : torch::autograd::Function<CandidateLayer> {
  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(
      AutogradContext* ctx, const at::Tensor& /*h*/,
      const detail::optional<at::Tensor>& /*prev_gate*/,
      at::TensorList /*parameters*/, const CandidateLayerArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, gate, m, logits, pre, candidate_statistics, statistics] =
        detail::candidate_layer(arguments);
    auto kept = detail::kept_inputs(arguments.layer);
    kept.gate = gate;
    kept.m = detail::when_defined(m);
    kept.logits = logits;
    kept.pre = pre;
    kept.candidate_norm.statistics = detail::when_defined(candidate_statistics);
    kept.norm.statistics = detail::when_defined(statistics);
    save_layer(ctx, arguments, kept);
    return {out, gate};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto arguments =
        layer_backward_arguments<CandidateLayerBackwardArguments>(
            "candidate_layer", ctx, grads);
    auto [h, prev_gate, gate_weight, gate_bias, candidate_weight,
          candidate_bias, candidate_norm_weight, candidate_norm_bias,
          norm_weight, norm_bias] = detail::candidate_layer_backward(arguments);
    // It may be the gate itself, which is a result of this node.
    if (prev_gate.defined()) prev_gate = prev_gate.detach();
    variable_list result = {h,         prev_gate,        gate_weight,
                            gate_bias, candidate_weight, candidate_bias};
    add_defined(result, {candidate_norm_weight, candidate_norm_bias,
                         norm_weight, norm_bias});
    result.emplace_back();  // of the arguments
    return result;
  }
};

CandidateLayerOutputs candidate_layer(const CandidateLayerArguments& given) {
  CandidateLayerArguments arguments = given;
  // Without a gradient to come nothing is kept: a layer's memory is gone with
  // the layer.
  arguments.keep = at::GradMode::is_enabled();
  if (!arguments.keep) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    return detail::candidate_layer(arguments);
  }
  const detail::CandidateArguments& layer = arguments.layer;
  variable_list parameters = {layer.gate_weight, layer.gate_bias,
                              layer.candidate_weight, layer.candidate_bias};
  for (const detail::NormArguments* norm :
       {&layer.candidate_norm, &layer.norm}) {
    add_defined(parameters, {detail::value_or_undefined(norm->weight),
                             detail::value_or_undefined(norm->bias)});
  }
  const variable_list results = CandidateLayer::apply(
      layer.h, layer.prev_gate, at::TensorList(parameters), arguments);
  return {results[0], results[1], {}, {}, {}, {}, {}};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("candidate_layer", detail::registered<candidate_layer>);
}

}  // namespace ordered_gnn::autograd
