#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// Softmax over the in-edges of every node:
///
///   out[e] = exp(score[e]) / sum_{e' into the same node} exp(score[e'])
///
/// Computed after subtracting the row maximum. Rows without edges have no
/// entries.
///
/// @param score  [E] in the order of graph.in(), float32 or float64.
/// @return       [E].
/// @throws c10::Error when the length is not the number of edges.
at::Tensor edge_softmax(const Graph& graph, const at::Tensor& score);

}  // namespace ordered_gnn
