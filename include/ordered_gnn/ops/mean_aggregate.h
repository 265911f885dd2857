#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// Mean over in-neighbours: out[v] = (1 / |N(v)|) * sum_{u in N(v)} h[u], and
/// in a graph with weights out[v] = sum_u w_uv h[u] / sum_u w_uv.
///
/// A node without neighbours, or whose weights are all 0, gets zeros.
/// Differentiable in `h` only. Every row has one owner and neighbours are added
/// in list order: no atomics, the same bits for any number of threads. Without
/// weights registered as the torch op `ordered_gnn::mean_aggregate(rowptr, col,
/// t_rowptr, t_col, h)`.
///
/// @param graph  N = graph.num_nodes().
/// @param h      [N, D], float32 or float64, on the graph's device.
/// @return       [N, D] with the options of `h`.
/// @throws c10::Error when shape, dtype or device do not match.
at::Tensor mean_aggregate(const Graph& graph, const at::Tensor& h);

}  // namespace ordered_gnn
