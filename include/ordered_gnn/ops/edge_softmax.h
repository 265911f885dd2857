#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// Softmax over the in-edges of every node:
///
///   out[e] = exp(score[e]) / sum_{e' into the same node} exp(score[e'])
///
/// Computed after subtracting the row maximum. Rows without edges have no
/// entries. Scores of several heads, [E, H], are one softmax per column, all in
/// one pass.
///
/// @param score  [E] or [E, H] in the order of graph.in(), float32 or float64.
/// @return       of the shape of `score`.
/// @throws c10::Error when there is not one score per edge.
at::Tensor edge_softmax(const Graph& graph, const at::Tensor& score);

}  // namespace ordered_gnn
