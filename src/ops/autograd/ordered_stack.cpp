#include "ops/ordered_stack.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/ordered_layer.h"
#include "ops/detail/scaled_aggregate.h"
#include "ops/detail/spent_once.h"

namespace ordered_gnn {
namespace autograd {
namespace {

using detail::when_defined;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr size_t kLayerParameters = 4;
constexpr size_t kStatesPerKept = 3;

// Whether the state before layer k of `count` is kept. The last one, which
// backward starts with, when nothing is free yet, always is.
bool is_kept(size_t k, size_t count, bool recompute) {
  return !recompute || k == 0 || (count - 1 - k) % kStatesPerKept == 0;
}

struct KeptLayer {
  OrderedLayerParameters parameters;
  double dropout = 0;
  DropoutKey key;
  at::Tensor h, prev_gate;  // before the layer; undefined: to be made again,
                            // and the first layer's gate
  at::Tensor m, logits, mean, rstd;
};

// The layers' run, forward and back. Holds what is between them.
struct StackRun : torch::CustomClassHolder {
  Graph graph;
  at::Tensor row_scale, col_scale;
  OrderedStackSettings settings;
  std::vector<KeptLayer> layers;
  at::Tensor gate;  // after the last layer

  int64_t mode_of(size_t k) const {
    return static_cast<int64_t>(detail::layer_mode(settings.gating, k > 0));
  }
  detail::optional<at::Tensor> gate_before(const KeptLayer& layer) const {
    return settings.gating == Gating::softor ? when_defined(layer.prev_gate)
                                             : when_defined({});
  }

  detail::OrderedLayerOutputs run_layer(size_t k, bool keep) const {
    const KeptLayer& layer = layers[k];
    const OrderedLayerParameters& p = layer.parameters;
    return detail::ordered_layer(
        graph.in().rowptr, graph.in().col, graph.out().rowptr, graph.out().col,
        when_defined(row_scale), when_defined(col_scale), layer.h,
        gate_before(layer), p.gate_weight, p.gate_bias, p.norm_weight,
        p.norm_bias, mode_of(k), settings.norm_eps, layer.dropout,
        layer.key.seed, layer.key.step, layer.key.site,
        /*reuse_memory=*/true, keep);
  }

  OrderedGateResult forward(at::Tensor h) {
    const size_t count = layers.size();
    for (size_t k = 0; k < count; ++k) {
      KeptLayer& layer = layers[k];
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
    KeptLayer& layer = layers[k];
    if (layer.m.defined() || !layer.h.is_cuda()) return;
    layer.m = detail::scaled_aggregate(
        graph.in().rowptr, graph.in().col, graph.out().rowptr, graph.out().col,
        when_defined(row_scale), when_defined(col_scale), layer.h);
  }

  // Makes the state before layer k from the nearest one below that is there.
  void need_state(size_t k) {
    if (layers[k].h.defined()) return;
    need_state(k - 1);
    const KeptLayer& below = layers[k - 1];
    if (!below.h.is_cuda()) {
      const auto results = run_layer(k - 1, /*keep=*/false);
      layers[k].h = std::get<0>(results);
      layers[k].prev_gate = std::get<1>(results);
      return;
    }
    need_mean(k - 1);
    std::tie(layers[k].h, layers[k].prev_gate) = detail::ordered_layer_again(
        below.h, gate_before(below), below.m, below.logits,
        below.parameters.norm_weight, below.parameters.norm_bias,
        mode_of(k - 1), settings.norm_eps, below.dropout, below.key.seed,
        below.key.step, below.key.site);
  }

  // Gradients of h and of the layers' parameters.
  variable_list backward(at::Tensor grad, at::Tensor grad_gate) {
    variable_list grads(1 + layers.size() * kLayerParameters);
    for (size_t k = layers.size(); k-- > 0;) {
      need_state(k);
      need_mean(k);
      const KeptLayer& layer = layers[k];
      variable_list::iterator of_layer =
          grads.begin() + 1 + k * kLayerParameters;
      std::tie(grad, grad_gate, of_layer[0], of_layer[1], of_layer[2],
               of_layer[3]) =
          detail::ordered_layer_backward(
              graph.in().rowptr, graph.in().col, graph.out().rowptr,
              graph.out().col, when_defined(row_scale), when_defined(col_scale),
              layer.h, gate_before(layer), layer.parameters.gate_weight,
              layer.parameters.norm_weight, gate, when_defined(layer.m),
              layer.logits, layer.mean, layer.rstd, grad,
              when_defined(grad_gate), mode_of(k), layer.dropout,
              layer.key.seed, layer.key.step, layer.key.site,
              /*reuse_memory=*/true);
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
    const Graph& graph, const at::Tensor& row_scale,
    const at::Tensor& col_scale, const std::vector<OrderedStackLayer>& layers,
    const OrderedStackSettings& settings) {
  auto run = c10::make_intrusive<StackRun>();
  run->graph = graph;
  run->row_scale = row_scale;
  run->col_scale = col_scale;
  run->settings = settings;
  for (const OrderedStackLayer& layer : layers) {
    KeptLayer kept;
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
}  // namespace autograd

OrderedGateResult ordered_stack(const Graph& graph, const at::Tensor& row_scale,
                                const at::Tensor& col_scale,
                                const at::Tensor& h,
                                const std::vector<OrderedStackLayer>& layers,
                                const OrderedStackSettings& settings) {
  TORCH_CHECK(!layers.empty(), "ordered_stack: at least one layer is needed");
  if (!at::GradMode::is_enabled()) {
    OrderedGateResult state{h, {}};
    for (const OrderedStackLayer& layer : layers) {
      state = ordered_layer(graph, row_scale, col_scale, state.h, state.gate,
                            layer.parameters,
                            {settings.gating, settings.norm_eps, layer.dropout,
                             layer.dropout_key, /*reuse_memory=*/true});
    }
    return state;
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
      h, at::TensorList(parameters),
      autograd::stack_run(graph, row_scale, col_scale, layers, settings));
  return {results[0], results[1]};
}

}  // namespace ordered_gnn
