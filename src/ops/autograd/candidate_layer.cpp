#include "ops/detail/candidate_layer.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/saved_arguments.h"

namespace ordered_gnn::autograd {
namespace {

using detail::CandidateLayerArguments;
using detail::CandidateLayerBackwardArguments;
using detail::CandidateLayerOutputs;

// A node takes no undefined tensors; a norm that is none has no others.
void add_defined(torch::autograd::variable_list& list, at::TensorList tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.defined()) list.push_back(tensor);
  }
}

struct CandidateLayer : torch::autograd::Function<CandidateLayer> {
  // The tensors are those in `arguments`, for their gradients.
  static torch::autograd::variable_list forward(
      torch::autograd::AutogradContext* ctx, const at::Tensor& /*h*/,
      const detail::optional<at::Tensor>& /*prev_gate*/,
      at::TensorList /*parameters*/, const CandidateLayerArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [out, gate, m, logits, pre, candidate_statistics, statistics] =
        detail::candidate_layer(arguments);
    CandidateLayerBackwardArguments kept;
    kept.lists = arguments.lists;
    kept.kept = detail::kept_inputs(arguments.layer);
    kept.kept.gate = gate;
    kept.kept.m = detail::when_defined(m);
    kept.kept.logits = logits;
    kept.kept.pre = pre;
    kept.kept.candidate_norm.statistics =
        detail::when_defined(candidate_statistics);
    kept.kept.norm.statistics = detail::when_defined(statistics);
    kept.reuse_memory = arguments.reuse_memory;
    detail::save_arguments(ctx, kept);
    // The gate of the last layer is not used further: no zeros for it.
    ctx->set_materialize_grads(false);
    return {out, gate};
  }

  static torch::autograd::variable_list backward(
      torch::autograd::AutogradContext* ctx,
      torch::autograd::variable_list grads) {
    auto saved = detail::saved_arguments<CandidateLayerBackwardArguments>(ctx);
    saved.grad_out =
        grads[0].defined() ? grads[0] : at::zeros_like(saved.kept.h);
    saved.grad_gate = detail::when_defined(grads[1]);
    if (saved.reuse_memory && saved.grad_out.is_cuda()) {
      TORCH_CHECK(ctx->saved_data.count("spent") == 0,
                  "candidate_layer: with reuse_memory backward runs once; "
                  "leave that setting off to run it again");
      ctx->saved_data["spent"] = true;
    }
    auto [h, prev_gate, gate_weight, gate_bias, candidate_weight,
          candidate_bias, candidate_norm_weight, candidate_norm_bias,
          norm_weight, norm_bias] = detail::candidate_layer_backward(saved);
    // It may be the gate itself, which is a result of this node.
    if (prev_gate.defined()) prev_gate = prev_gate.detach();
    torch::autograd::variable_list result = {
        h, prev_gate, gate_weight, gate_bias, candidate_weight, candidate_bias};
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
  torch::autograd::variable_list parameters = {
      layer.gate_weight, layer.gate_bias, layer.candidate_weight,
      layer.candidate_bias};
  for (const detail::NormArguments* norm :
       {&layer.candidate_norm, &layer.norm}) {
    add_defined(parameters, {detail::value_or_undefined(norm->weight),
                             detail::value_or_undefined(norm->bias)});
  }
  const torch::autograd::variable_list results = CandidateLayer::apply(
      layer.h, layer.prev_gate, at::TensorList(parameters), arguments);
  return {results[0], results[1], {}, {}, {}, {}, {}};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("candidate_layer", detail::registered<candidate_layer>);
}

}  // namespace ordered_gnn::autograd
