#include "ops/detail/candidate_layer.h"

#include <ATen/core/grad_mode.h>
#include <torch/library.h>

#include "ops/autograd/gated_layer.h"

namespace ordered_gnn::autograd {
namespace {

using detail::CandidateLayerArguments;
using detail::CandidateLayerBackwardArguments;
using detail::CandidateLayerOutputs;

struct CandidateLayer : torch::autograd::Function<CandidateLayer> {
  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(
      AutogradContext* ctx, const at::Tensor& /*h*/,
      const detail::optional<at::Tensor>& /*prev_gate*/,
      at::TensorList /*parameters*/, const CandidateLayerArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const CandidateLayerOutputs results = detail::candidate_layer(arguments);
    save_layer(ctx, arguments, detail::kept_of(arguments.layer, results));
    return {std::get<0>(results), std::get<1>(results)};
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
  // Without a gradient to come nothing is kept: a layer's memory is gone with
  // the layer. A program that was traced asks for what its own backward needs.
  if (given.keep || !at::GradMode::is_enabled()) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    return detail::candidate_layer(given);
  }
  CandidateLayerArguments arguments = given;
  arguments.keep = true;
  const detail::CandidateArguments& layer = arguments.layer;
  const variable_list parameters = learned_by(layer);
  const variable_list results = CandidateLayer::apply(
      layer.h, layer.prev_gate, at::TensorList(parameters), arguments);
  return {results[0], results[1], {}, {}, {}, {}, {}};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("candidate_layer", detail::registered_whole<candidate_layer>);
}

}  // namespace ordered_gnn::autograd
