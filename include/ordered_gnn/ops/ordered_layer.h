#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/ops/ordered_gate.h"

namespace ordered_gnn {

/// The state that a layer starts from, and the factors of its sums.
struct OrderedLayerInput {
  at::Tensor h;  ///< [N, D], float32 or float64
  /// [N, G]; undefined stands for zeros, as before the first layer.
  at::Tensor prev_gate = {};
  /// [N] float64 or undefined, see scaled_aggregate().
  at::Tensor row_scale = {}, col_scale = {};
};

/// What a layer learns.
struct OrderedLayerParameters {
  at::Tensor gate_weight;  ///< [G, 2 D], columns [h ; m]
  at::Tensor gate_bias;    ///< [G]
  at::Tensor norm_weight;  ///< [D]
  at::Tensor norm_bias;    ///< [D]
};

/// Settings of one fused layer.
struct OrderedLayerSettings {
  Gating gating = Gating::softor;  ///< ordered or softor
  double norm_eps = 1e-5;
  /// Dropout of the result, which is the next layer's input; see dropout.h.
  double dropout = 0;
  DropoutKey dropout_key;
  /// Lets backward write into the gradients of the results that it is given and
  /// into the gate, which saves two row matrices on a GPU. For results that
  /// only the next layer reads, and whose gradients nobody looks at; backward
  /// runs once then.
  bool reuse_memory = false;
};

/// One layer of the model in one blocked pass:
///
///   m      = scaled_aggregate(graph, row_scale, col_scale, h)
///   logits = [h ; m] gate_weight^T + gate_bias
///   h', g  = ordered_gate(gating, logits, prev_gate, h, m)
///   out    = dropout(layer_norm(h', norm_weight, norm_bias))
///
/// the same values as those ops one after the other, to rounding. A block of
/// rows goes through all steps while it is in cache. Kept for backward are h,
/// logits, g and two numbers per row, and m where a node has many neighbours;
/// otherwise m, and always h' and the dropout mask, are computed again. Blocks
/// hold about the same number of edges and follow from the graph alone, so
/// results do not depend on the number of threads.
///
/// @return out [N, D] and the gate [N, G]; differentiable in h, prev_gate and
///         the parameters.
/// @throws c10::Error when shapes, dtypes or devices do not match, or gating is
///         none or simple; by backward on a GPU, when it runs a second time
///         with reuse_memory.
OrderedGateResult ordered_layer(const Graph& graph,
                                const OrderedLayerInput& input,
                                const OrderedLayerParameters& parameters,
                                const OrderedLayerSettings& settings);

}  // namespace ordered_gnn
