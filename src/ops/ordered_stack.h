#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn::ops {

/// One layer of a run of layers.
struct OrderedStackLayer {
  OrderedLayerParameters parameters;
  double dropout = 0;  ///< of its result
  DropoutKey dropout_key;
};

/// What the layers have in common.
struct OrderedStackSettings {
  Gating gating = Gating::softor;  ///< ordered or softor
  double norm_eps = 1e-5;
  /// Whether backward computes what costs little time and much room: two in
  /// three states and their gates, from the m and logits that are kept, and the
  /// first layer's m.
  bool recompute = false;
};

/// ordered_layer() after ordered_layer(), the same values to the bit, as one
/// node of the autograd graph, which can drop and compute again what single
/// layers would have to keep for each other.
///
/// With `recompute`, of K layers every third state counted from the last one
/// and the first are kept. A state that was dropped is made from the one before
/// it by the layer's last kernel alone, without its products and sums, at a
/// time when what the layers above kept is gone: peak memory falls by about a
/// third. On the CPU, where layers keep less, it takes the whole layer.
///
/// Backward writes into the gradients of the results and into the gate that is
/// returned, runs once, and has no second gradients.
///
/// @param input   of the first layer; no gate before.
/// @param layers  at least one.
/// @return h [N, D] and the gate [N, G] after the last layer; differentiable in
///         h and the parameters.
/// @throws c10::Error like ordered_layer(), when there is a gate before, and by
///         a second backward.
OrderedGateResult ordered_stack(const Graph& graph,
                                const OrderedLayerInput& input,
                                const std::vector<OrderedStackLayer>& layers,
                                const OrderedStackSettings& settings);

}  // namespace ordered_gnn::ops
