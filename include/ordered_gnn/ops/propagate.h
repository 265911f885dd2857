#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// How far and how strongly rows are spread over a graph.
struct Propagation {
  double start_share = 0.1;  ///< a
  int64_t hops = 10;         ///< K
  /// [N, 1] bool: rows that every step sets back to their start; undefined:
  /// none.
  at::Tensor fixed;
};

/// K steps of z <- (1 - a) S z + a start from z = start, where
/// S = D^-1/2 A D^-1/2 is that of gcn_aggregate(), edge weights included.
/// Differentiable in `start`.
///
/// A step is one pass over the edges. Without fixed rows and weights backward
/// is the same propagation over the transposed graph: of (1-a)^K S^K + a
/// sum_{k<K} (1-a)^k S^k with S^T in the place of S.
///
/// @param start  [N, C], float32 or float64.  @return [N, C].
/// @throws c10::Error as gcn_aggregate() does.
at::Tensor propagate(const Graph& graph, const at::Tensor& start,
                     const Propagation& how);

}  // namespace ordered_gnn
