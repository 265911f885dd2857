#pragma once
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/ops/ordered_layer.h"
#include "support/device_results.h"

namespace ordered_gnn {

const DropoutKey kLayerKey = {/*seed=*/5, /*step=*/11, /*site=*/2};

/// One ordered_layer() of the tests.
struct LayerCase {
  Gating gating = Gating::softor;
  double dropout = 0;
  bool first = false;     ///< no gate before it
  bool uses_gate = true;  ///< whether the gate gets a gradient
  bool reuse = false;     ///< backward may write into what it is given
};

/// [h, prev_gate, gate weight and bias, norm weight and bias].
inline Tensors layer_inputs(int64_t rows, int64_t gates, int64_t width) {
  return {uniform({rows, width}, 71),
          uniform({rows, gates}, 72, 0, 1),
          uniform({gates, 2 * width}, 73) /
              std::sqrt(2.0 * static_cast<double>(width)),
          uniform({gates}, 74),
          uniform({width}, 75, 0.5, 1.5),
          uniform({width}, 76)};
}

/// The layer as a function of layer_inputs().
inline DeviceFunction layer_on(const Graph& graph, const LayerCase& layer) {
  return [=](at::Device device, const Tensors& in) {
    const Graph moved = graph.to(device);
    OrderedLayerSettings settings;
    settings.gating = layer.gating;
    settings.dropout = layer.dropout;
    settings.dropout_key = kLayerKey;
    settings.reuse_memory = layer.reuse;
    const at::Tensor prev = layer.first ? at::Tensor() : in[1];
    const OrderedGateResult result =
        ordered_layer(moved, {in[0], prev, moved.inverse_in_degree(), {}},
                      {in[2], in[3], in[4], in[5]}, settings);
    if (!layer.uses_gate) return Tensors{result.h};
    // Backward may write into the gate itself.
    return Tensors{result.h, layer.reuse ? result.gate.clone() : result.gate};
  };
}

}  // namespace ordered_gnn
