// Runs of layers that keep less for backward than one layer after the other.
#include <algorithm>

#include "nn/checkpointed.h"
#include "nn/ordered_gnn_pass.h"
#include "ops/detail/large_rows.h"
#include "ops/ordered_stack.h"

namespace ordered_gnn {
namespace {

// Layers whose intermediates backward holds at a time when it recomputes, and
// parts a longer run of layers is cut into.
constexpr size_t kKeptLayers = 4;

}  // namespace

OrderedGnn::State OrderedGnn::run_stacked(const Pass& pass, size_t count,
                                          const State& state) const {
  if (count == 0) return state;
  ops::OrderedStackSettings settings;
  settings.gating = options_.gating;
  settings.norm_eps = kNormEps;
  settings.recompute =
      detail::is_large(state.h.size(0), state.h.size(1), state.h.scalar_type());
  std::vector<ops::OrderedStackLayer> layers;
  for (size_t k = 0; k < count; ++k) {
    const OrderedLayerSettings of_layer = settings_of(pass, k);
    layers.push_back(
        {parameters_of(k), of_layer.dropout, of_layer.dropout_key});
  }
  OrderedGateResult result = ops::ordered_stack(
      pass.graph, {state.h, {}, pass.scales.row, pass.scales.col}, layers,
      settings);
  return {std::move(result.h), std::move(result.gate)};
}

OrderedGnn::State OrderedGnn::run_recomputed(const Pass& pass, size_t first,
                                             size_t last, State state) const {
  const size_t count = last - first;
  if (count <= kKeptLayers) return run_layers(pass, first, last, state);
  size_t part = kKeptLayers;
  while (part * kKeptLayers < count) part *= kKeptLayers;
  for (size_t begin = first; begin < last; begin += part) {
    const size_t end = std::min(last, begin + part);
    const auto run =
        [this, pass, begin,
         end](const std::vector<at::Tensor>& in) -> std::vector<at::Tensor> {
      State out = run_recomputed(pass, begin, end,
                                 {in[0], in.size() > 1 ? in[1] : at::Tensor()});
      return {std::move(out.h), std::move(out.gate)};
    };
    std::vector<at::Tensor> in = {state.h};
    if (state.gate.defined()) in.push_back(state.gate);
    const std::vector<at::Tensor> out =
        nn::checkpointed(run, in, parameters_between(begin, end));
    state = {out[0], out[1]};
  }
  return state;
}

std::vector<at::Tensor> OrderedGnn::parameters_between(size_t first,
                                                       size_t last) const {
  std::vector<at::Tensor> all;
  if (tied_gate_) all = tied_gate_->parameters();
  for (size_t k = first; k < last; ++k) {
    for (const at::Tensor& parameter : layers_[k]->parameters()) {
      all.push_back(parameter);
    }
  }
  return all;
}

}  // namespace ordered_gnn
