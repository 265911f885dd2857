#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// Sum over in-neighbours with one weight per edge:
///
///   out[v] = sum_{e = (u -> v)} weight[e] * h[u]
///
/// With H heads a row is H parts of D / H columns, side by side, each of which
/// has weights of its own: out[v, i] = sum_e weight[e, i] * h[u, i]. No
/// edge-by-width buffer is built in either direction.
///
/// @param weight  [E] or [E, H], in the order of graph.in(), dtype of `h`.
/// @param h       [N, D], float32 or float64; H divides D.
/// @return        [N, D]; differentiable in `weight` and `h`.
/// @throws c10::Error when shape, dtype or device do not match.
at::Tensor weighted_aggregate(const Graph& graph, const at::Tensor& weight,
                              const at::Tensor& h);

/// Scores of edges from scores of their ends, score[e] = source[u] + target[v]
/// for e = (u -> v), in the order of graph.in().
/// @param source  [N], or [N, H] for H heads.  @param target  likewise.
/// @return [E], or [E, H].
/// @throws c10::Error when shapes, dtypes or devices do not match.
at::Tensor edge_scores(const Graph& graph, const at::Tensor& source,
                       const at::Tensor& target);

}  // namespace ordered_gnn
