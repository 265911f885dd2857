#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// Element-wise maximum over in-neighbours: out[v][d] = max_{u in N(v)}
/// h[u][d].
///
/// A node without neighbours gets zeros and passes no gradient. Among equal
/// values the neighbour with the smallest id receives the gradient. A NaN among
/// the neighbours makes the maximum NaN.
///
/// @param h  [N, D], float32 or float64.
/// @return   [N, D] with the options of `h`.
/// @throws c10::Error when shape, dtype or device do not match.
at::Tensor max_aggregate(const Graph& graph, const at::Tensor& h);

}  // namespace ordered_gnn
