#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/ops/norm_mode.h"
#include "ordered_gnn/ops/ordered_gate.h"
#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn {

/// A normalisation of rows [N, D] inside a layer,
///
///   y = (x - mean) / sqrt(variance + eps) * weight + bias.
struct RowNorm {
  NormMode mode = NormMode::layer;
  at::Tensor weight = {}, bias = {};  ///< [D]; undefined without a norm
  /// [D]. Running statistics, which mode batch moves towards those of the rows
  /// (both or neither may be undefined) and mode fixed reads.
  at::Tensor running_mean = {}, running_var = {};
};

/// What a layer with a candidate learns.
struct CandidateLayerParameters {
  at::Tensor gate_weight;       ///< [G, 2 D], columns [h ; m]
  at::Tensor gate_bias;         ///< [G]
  at::Tensor candidate_weight;  ///< [D, 2 D], columns [m ; h]
  at::Tensor candidate_bias;    ///< [D]
  RowNorm candidate_norm;
  RowNorm norm;
};

/// Settings of one fused layer with a candidate.
struct CandidateLayerSettings : OrderedLayerSettings {
  /// Share of the rows' statistics in the running ones.
  double momentum = 0.1;
};

/// One layer of the extended model, which writes a candidate of its own weights
/// where ordered_layer() writes the neighbours' summary:
///
///   m      = scaled_aggregate(graph, row_scale, col_scale, h)
///   logits = [h ; m] gate_weight^T + gate_bias
///   pre    = [m ; h] candidate_weight^T + candidate_bias
///   c      = relu(candidate_norm(pre))
///   h', g  = ordered_gate(gating, logits, prev_gate, h, c)
///   out    = dropout(norm(h'))
///
/// the same values as those ops one after the other, to rounding. A block of
/// rows goes through all steps while it is in cache, with a pause over all rows
/// where a norm needs their statistics. Kept for backward are h, logits, pre, g
/// and the statistics, and m where a node has many neighbours; c, h' and the
/// dropout mask are computed again; a GPU always keeps m. Sums over rows are
/// those of blocks that follow from the graph, added in order, so results do
/// not depend on the number of threads.
///
/// Rows may be bfloat16 beside parameters and statistics in float: then h, m,
/// logits, pre, g, out and the gradients of all of them are rounded where they
/// are stored, and sums are float.
///
/// @return out [N, D] and the gate [N, G]; differentiable in h, prev_gate and
///         the parameters.
/// @throws c10::Error when shapes, dtypes or devices do not match, gating is
///         none or simple, or a norm of mode batch gets fewer than two rows; on
///         a GPU with more than 256 columns or a part of a graph; by backward
///         on a GPU, when it runs a second time with reuse_memory.
OrderedGateResult candidate_layer(const Graph& graph,
                                  const OrderedLayerInput& input,
                                  const CandidateLayerParameters& parameters,
                                  const CandidateLayerSettings& settings);

}  // namespace ordered_gnn
