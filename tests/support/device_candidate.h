#pragma once
#include <cmath>
#include <string>

#include "ordered_gnn/ops/candidate_layer.h"
#include "support/device_layer.h"

namespace ordered_gnn {

/// One candidate_layer() of the tests.
struct CandidateCase : LayerCase {
  NormMode candidate_norm = NormMode::layer;
  NormMode norm = NormMode::layer;

  std::string name() const {
    const char* const names[] = {"layer", "batch", "none", "fixed"};
    return to_string(gating) + ", candidate " +
           names[static_cast<int>(candidate_norm)] + ", norm " +
           names[static_cast<int>(norm)];
  }
};

constexpr NormMode kEveryNorm[] = {NormMode::layer, NormMode::batch,
                                   NormMode::none, NormMode::fixed};

/// [h, prev_gate, gate weight and bias, candidate weight and bias, weight and
/// bias of the candidate's norm and of the layer's].
inline Tensors candidate_inputs(int64_t rows, int64_t gates, int64_t width) {
  const double small = 1 / std::sqrt(2.0 * static_cast<double>(width));
  return {uniform({rows, width}, 71),
          uniform({rows, gates}, 72, 0, 1),
          uniform({gates, 2 * width}, 73) * small,
          uniform({gates}, 74),
          uniform({width, 2 * width}, 75) * (3 * small),
          uniform({width}, 76),
          uniform({width}, 77, 0.5, 1.5),
          uniform({width}, 78),
          uniform({width}, 79, 0.5, 1.5),
          uniform({width}, 80)};
}

/// The same with candidates far from zero, whatever the norm: rounding opens or
/// shuts none of them. Every second one of a row is open, and about half of a
/// column. `width` is even.
inline Tensors decided_candidate_inputs(int64_t rows, int64_t gates,
                                        int64_t width) {
  Tensors in = candidate_inputs(rows, gates, width);
  const at::Tensor sign = uniform({rows, width / 2}, 81).sign();
  const at::Tensor signs =
      at::stack({sign, sign.neg()}, 2).reshape({rows, width});
  in[0] = (in[0] * 0.15 + 0.85) * signs;
  in[4] = in[4] / 3;
  // A candidate follows the state of its own column.
  in[4].narrow(1, width, width).diagonal().add_(8);
  in[7] = in[7] * 0.1;
  return in;
}

/// The layer as a function of candidate_inputs(); a norm that is none reads
/// nothing of them.
inline DeviceFunction candidate_on(const Graph& graph,
                                   const CandidateCase& layer) {
  return [=](at::Device device, const Tensors& in) {
    const Graph moved = graph.to(device);
    const auto norm_of = [&](NormMode mode, size_t first) -> RowNorm {
      if (mode == NormMode::none) return {mode};
      const int64_t width = in[first].size(0);
      const auto running = [&](uint64_t seed, double low, double high) {
        return uniform({width}, seed, low, high).to(in[first].options());
      };
      return {mode, in[first], in[first + 1], running(91 + first, -1, 1),
              running(92 + first, 0.2, 2)};
    };
    CandidateLayerSettings settings;
    settings.gating = layer.gating;
    settings.dropout = layer.dropout;
    settings.dropout_key = kLayerKey;
    settings.reuse_memory = layer.reuse;
    const OrderedGateResult result = candidate_layer(
        moved,
        {in[0],
         layer.first ? at::Tensor() : in[1],
         moved.inverse_in_degree(),
         {}},
        {in[2], in[3], in[4], in[5], norm_of(layer.candidate_norm, 6),
         norm_of(layer.norm, 8)},
        settings);
    if (!layer.uses_gate) return Tensors{result.h};
    // Backward may write into the gate itself.
    return Tensors{result.h, layer.reuse ? result.gate.clone() : result.gate};
  };
}

}  // namespace ordered_gnn
