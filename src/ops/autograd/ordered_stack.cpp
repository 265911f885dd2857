#include "ops/ordered_stack.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "ops/autograd/node.h"
#include "ops/detail/ordered_layer.h"
#include "ops/detail/scaled_aggregate.h"
#include "ops/detail/spent_once.h"

namespace ordered_gnn::autograd {
namespace {

using ops::OrderedStackLayer;
using ops::OrderedStackSettings;

constexpr size_t kLayerParameters = 4;
constexpr size_t kStatesPerKept = 3;

// Whether the state before layer k of `count` is kept. The last one, which
// backward starts with, when nothing is free yet, always is.
bool is_kept(size_t k, size_t count, bool recompute) {
  return !recompute || k == 0 || (count - 1 - k) % kStatesPerKept == 0;
}

struct StackLayer {
  OrderedLayerParameters parameters;
  double dropout = 0;
  DropoutKey key;
  at::Tensor h, prev_gate;  // before the layer; undefined: to be made again,
                            // and the first layer's gate
  at::Tensor m, logits, mean, rstd;
};

// The layers' run, forward and back. Holds what is between them.
struct StackRun : torch::CustomClassHolder {
  detail::ScaledLists lists;
  OrderedStackSettings settings;
  std::vector<StackLayer> layers;
  at::Tensor gate;  // after the last layer

  detail::LayerArguments arguments_of(const StackLayer& layer) const {
    const bool reads_gate = settings.gating == Gating::softor;
    return detail::layer_arguments(
        layer.h, reads_gate ? layer.prev_gate : at::Tensor(), layer.parameters,
        {settings.gating, settings.norm_eps, layer.dropout, layer.key});
  }

  detail::OrderedLayerOutputs run_layer(size_t k, bool keep) const {
    return detail::ordered_layer(
        {lists, arguments_of(layers[k]), /*reuse_memory=*/true, keep});
  }

  OrderedGateResult forward(at::Tensor h) {
    const size_t count = layers.size();
    for (size_t k = 0; k < count; ++k) {
      StackLayer& layer = layers[k];
      layer.h = h;
      layer.prev_gate = gate;
      std::tie(h, gate, layer.m, layer.logits, layer.mean, layer.rstd) =
          run_layer(k, /*keep=*/true);
      if (!is_kept(k, count, settings.recompute)) {
        layer.h = layer.prev_gate = at::Tensor();
      }
      if (k == 0 && settings.recompute && h.is_cuda()) layer.m = at::Tensor();
    }
    return {h, gate};
  }

  void need_mean(size_t k) {
    StackLayer& layer = layers[k];
    if (layer.m.defined() || !layer.h.is_cuda()) return;
    layer.m = detail::scaled_aggregate({lists, layer.h});
  }

  // Makes the state before layer k from the nearest one below that is there.
  void need_state(size_t k) {
    if (layers[k].h.defined()) return;
    need_state(k - 1);
    const StackLayer& below = layers[k - 1];
    if (!below.h.is_cuda()) {
      const auto results = run_layer(k - 1, /*keep=*/false);
      layers[k].h = std::get<0>(results);
      layers[k].prev_gate = std::get<1>(results);
      return;
    }
    need_mean(k - 1);
    const detail::LayerArguments layer = arguments_of(below);
    std::tie(layers[k].h, layers[k].prev_gate) = detail::ordered_layer_again(
        {layer.h, layer.prev_gate, below.m, below.logits,
         layer.parameters.norm_weight, layer.parameters.norm_bias, layer.mode,
         layer.eps, layer.dropout});
  }

  // Gradients of h and of the layers' parameters.
  variable_list backward(at::Tensor grad, at::Tensor grad_gate) {
    variable_list grads(1 + layers.size() * kLayerParameters);
    for (size_t k = layers.size(); k-- > 0;) {
      need_state(k);
      need_mean(k);
      const StackLayer& layer = layers[k];
      variable_list::iterator of_layer =
          grads.begin() + 1 + k * kLayerParameters;
      detail::OrderedLayerBackwardArguments arguments;
      arguments.lists = lists;
      arguments.kept = detail::kept_inputs(arguments_of(layer));
      arguments.kept.gate = gate;
      arguments.kept.m = detail::when_defined(layer.m);
      arguments.kept.logits = layer.logits;
      arguments.kept.mean = layer.mean;
      arguments.kept.rstd = layer.rstd;
      arguments.grad_out = grad;
      arguments.grad_gate = detail::when_defined(grad_gate);
      arguments.reuse_memory = true;
      std::tie(grad, grad_gate, of_layer[0], of_layer[1], of_layer[2],
               of_layer[3]) = detail::ordered_layer_backward(arguments);
      gate = layer.prev_gate;
      layers.pop_back();
    }
    grads[0] = grad;
    return grads;
  }
};

struct OrderedStack : torch::autograd::Function<OrderedStack> {
  // `parameters` are those in `run`, for their gradients.
  static variable_list forward(AutogradContext* ctx, const at::Tensor& h,
                               at::TensorList /*parameters*/,
                               const c10::intrusive_ptr<StackRun>& run) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const OrderedGateResult result = run->forward(h.detach());
    // As results of this node they would keep it alive, and it them.
    run->gate = result.gate.detach();
    detail::keep_until_spent(ctx, run);
    ctx->set_materialize_grads(false);
    return {result.h, result.gate};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto run = detail::spend<StackRun>(ctx, "ordered_stack");
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const at::Tensor& last = run->layers.back().logits;
    at::Tensor grad =
        grads[0].defined()
            ? grads[0].contiguous()
            : at::zeros({last.size(0),
                         run->layers.back().parameters.norm_weight.numel()},
                        last.options());
    variable_list result = run->backward(std::move(grad), std::move(grads[1]));
    result.emplace_back();  // the run has no gradient
    return result;
  }
};

c10::intrusive_ptr<StackRun> stack_run(
    const detail::ScaledLists& lists,
    const std::vector<OrderedStackLayer>& layers,
    const OrderedStackSettings& settings) {
  auto run = c10::make_intrusive<StackRun>();
  run->lists = lists;
  run->settings = settings;
  for (const OrderedStackLayer& layer : layers) {
    StackLayer kept;
    kept.parameters = {layer.parameters.gate_weight.detach(),
                       layer.parameters.gate_bias.detach(),
                       layer.parameters.norm_weight.detach(),
                       layer.parameters.norm_bias.detach()};
    kept.dropout = layer.dropout;
    kept.key = layer.dropout_key;
    run->layers.push_back(std::move(kept));
  }
  return run;
}

}  // namespace
}  // namespace ordered_gnn::autograd

namespace ordered_gnn::ops {

OrderedGateResult ordered_stack(const Graph& graph,
                                const OrderedLayerInput& input,
                                const std::vector<OrderedStackLayer>& layers,
                                const OrderedStackSettings& settings) {
  TORCH_CHECK(!layers.empty(), "ordered_stack: at least one layer is needed");
  TORCH_CHECK(!input.prev_gate.defined(),
              "ordered_stack: there is no gate before the first layer");
  if (!at::GradMode::is_enabled()) {
    OrderedLayerInput state = input;
    for (const OrderedStackLayer& layer : layers) {
      OrderedGateResult result =
          ordered_layer(graph, state, layer.parameters,
                        {settings.gating, settings.norm_eps, layer.dropout,
                         layer.dropout_key, /*reuse_memory=*/true});
      state.h = std::move(result.h);
      state.prev_gate = std::move(result.gate);
    }
    return {state.h, state.prev_gate};
  }
  std::vector<at::Tensor> parameters;
  for (const OrderedStackLayer& layer : layers) {
    const OrderedLayerParameters& p = layer.parameters;
    for (const at::Tensor& tensor :
         {p.gate_weight, p.gate_bias, p.norm_weight, p.norm_bias}) {
      parameters.push_back(tensor);
    }
  }
  const auto results = autograd::OrderedStack::apply(
      input.h, at::TensorList(parameters),
      autograd::stack_run(
          detail::scaled_lists(graph.in(), graph.out(), input.row_scale,
                               input.col_scale),
          layers, settings));
  return {results[0], results[1]};
}

}  // namespace ordered_gnn::ops
