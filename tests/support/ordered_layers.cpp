#include "support/ordered_layers.h"

#include <torch/types.h>

#include <cmath>

#include "ops/ordered_rows.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

using Tensors = std::vector<at::Tensor>;

OrderedLayerParameters parameters_of(const Tensors& in, size_t k) {
  const size_t first = 1 + 4 * k;
  return {in[first], in[first + 1], in[first + 2], in[first + 3]};
}

OrderedLayerSettings settings_of(const LayersCase& run, size_t k) {
  OrderedLayerSettings settings;
  settings.gating = run.gating;
  settings.dropout = run.dropout;
  settings.dropout_key = {/*seed=*/3, /*step=*/5,
                          /*site=*/static_cast<int64_t>(k)};
  return settings;
}

OrderedGateResult first_layers(const Graph& graph, const LayersCase& run,
                               size_t count, const Tensors& in) {
  OrderedGateResult state{in[0], {}};
  for (size_t k = 0; k < count; ++k) {
    state = ordered_layer(graph,
                          {state.h, state.gate, graph.inverse_in_degree(), {}},
                          parameters_of(in, k), settings_of(run, k));
  }
  return state;
}

}  // namespace

Tensors layers_inputs(const LayersCase& run, int64_t rows, int64_t gates,
                      int64_t width, at::ScalarType dtype) {
  Tensors in = {random_tensor({rows, width}, dtype, 71)};
  for (size_t k = 0; k < run.layers; ++k) {
    const uint64_t seed = 80 + 4 * k;
    // Logits of moderate size: a saturated softmax amplifies rounding.
    in.push_back(random_tensor({gates, 2 * width}, dtype, seed) /
                 std::sqrt(2.0 * static_cast<double>(width)));
    in.push_back(random_tensor({gates}, dtype, seed + 1));
    in.push_back(random_tensor({width}, dtype, seed + 2, 0.5, 1.5));
    in.push_back(random_tensor({width}, dtype, seed + 3));
  }
  return in;
}

Tensors stack_of_layers(const Graph& graph, const LayersCase& run,
                        bool recompute, const Tensors& in) {
  ops::OrderedStackSettings settings;
  settings.gating = run.gating;
  settings.recompute = recompute;
  std::vector<ops::OrderedStackLayer> layers;
  for (size_t k = 0; k < run.layers; ++k) {
    const OrderedLayerSettings of_layer = settings_of(run, k);
    layers.push_back(
        {parameters_of(in, k), of_layer.dropout, of_layer.dropout_key});
  }
  const OrderedGateResult result = ops::ordered_stack(
      graph, {in[0], {}, graph.inverse_in_degree(), {}}, layers, settings);
  // Backward may write into the gate itself.
  return {result.h, result.gate.clone()};
}

Tensors single_layers(const Graph& graph, const LayersCase& run,
                      const Tensors& in) {
  const OrderedGateResult result = first_layers(graph, run, run.layers, in);
  return {result.h, result.gate};
}

Tensors rows_of_layer(const Graph& graph, const ReceiverLists& lists,
                      const LayersCase& run, const Tensors& in) {
  const size_t last = run.layers - 1;
  const OrderedGateResult state = first_layers(graph, run, last, in);
  const ops::ReceivedRows rows = ops::receive_rows(
      graph, lists, {state.h, state.gate, graph.inverse_in_degree(), {}});
  return {ops::ordered_rows(rows, lists, parameters_of(in, last),
                            settings_of(run, last))};
}

}  // namespace ordered_gnn
