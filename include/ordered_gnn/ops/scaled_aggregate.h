#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// Weighted sum over in-neighbours with factors of the two ends:
///
///   out[v] = row_scale[v] * sum_{u in N(v)} col_scale[u] * h[u]
///
/// A node without neighbours gets zeros. Differentiable in `h`, any number of
/// times: its gradient is the same op on the transposed graph. The factors are
/// all there is: weights of the graph's edges are not read.
///
/// @param row_scale  [N] float64, or undefined for ones.
/// @param col_scale  [N] float64, or undefined for ones.
/// @param h          [N, D], float32 or float64.
/// @return           [N, D] with the options of `h`.
/// @throws c10::Error when shape, dtype or device do not match.
at::Tensor scaled_aggregate(const Graph& graph, const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h);

/// Sum over in-neighbours, out[v] = sum_{u in N(v)} w_uv h[u], with w_uv = 1
/// for a graph without weights: scaled_aggregate() with ones.
at::Tensor sum_aggregate(const Graph& graph, const at::Tensor& h);

/// Symmetric normalisation of graph convolutions, with d the in-degree
/// (at least 1): out[v] = sum_{u in N(v)} h[u] / sqrt(d[u] * d[v]). In a graph
/// with weights d[v] is the sum of the weights of v's in-edges (1 where that is
/// 0): out[v] = sum_{u in N(v)} w_uv h[u] / sqrt(d[u] * d[v]).
at::Tensor gcn_aggregate(const Graph& graph, const at::Tensor& h);

}  // namespace ordered_gnn
