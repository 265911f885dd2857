#pragma once
#include "ordered_gnn/nn/model_options.h"
#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn {

/// The ablation of "Ordered GNN: Ordering Message Passing to Deal with
/// Heterophily and Over-smoothing" (2023) as systems of their own: the Ordered
/// GNN with one gating, whatever --gating says. Everything else is as in
/// OrderedGnn.
template <Gating kGating>
class GatingPreset : public OrderedGnn {
 public:
  GatingPreset(const ModelShape& shape, ModelOptions options, int64_t seed)
      : OrderedGnn(shape, with_gating(options), seed) {}

 private:
  static OrderedGnnOptions with_gating(OrderedGnnOptions options) {
    options.gating = kGating;
    return options;
  }
};

using GatedGnn = GatingPreset<Gating::simple>;  ///< every gate on its own
using BareGnn = GatingPreset<Gating::none>;     ///< h = norm(aggregate(h))

}  // namespace ordered_gnn
