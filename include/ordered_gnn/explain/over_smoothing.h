#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// How far apart the states of nodes are after one layer. A network that
/// over-smooths loses its distances layer by layer. Numbers that need two nodes
/// or an edge are NaN without them.
struct LayerSpread {
  double mean_norm = 0;  ///< mean of |h_v|
  /// Mean of |h_u - h_v| over pairs of nodes: all pairs when there are at most
  /// kMostPairs, that many drawn with a fixed seed otherwise.
  double mean_distance = 0;
  /// mean_distance / mean_norm, which does not change with the scale of the
  /// states; NaN when all states are 0.
  double relative_distance = 0;
  /// Mean of |h_u - h_v|^2 over all pairs of different nodes, exactly:
  /// 2 / (N - 1) * sum_v |h_v - mean|^2.
  double mean_square_distance = 0;
  /// Dirichlet energy per edge: (1 / E) sum over edges (u, v) of
  /// |h_u - h_v|^2, loops left out.
  double dirichlet_energy = 0;
  /// dirichlet_energy / mean_square_distance: 1 when neighbours are as far
  /// apart as any two nodes, near 0 when they are alike; NaN when all states
  /// are equal.
  double relative_energy = 0;
  /// Mean cosine of the angle between the states of two different nodes, over
  /// all pairs, exactly; a state of zeros counts as at right angles to all.
  double mean_cosine = 0;
};

constexpr int64_t kMostPairs = 100000;

/// @param state  [N, D], floating point, on the CPU; N the graph's.
/// @return the same bits for any number of threads.
/// @throws Error for another shape or dtype, and naming the node of a value
///         that is not finite.
LayerSpread measure_spread(const Graph& graph, const at::Tensor& state);

}  // namespace ordered_gnn
