#pragma once
#include <cstdint>
#include <vector>

#include "explain/heard_part.h"

namespace ordered_gnn::explain {

/// Which rows of which layer differ, and matter, when a node is taken out.
struct ChangedNodes {
  /// For layers 0 .. K the nodes, rising. None in layer 0.
  std::vector<std::vector<int64_t>> layers;
  int64_t edges = 0;  ///< that are read to compute all of them
};

/// A row differs when its node hears the removed one, when a sender's row or
/// its own differed in the layer before. It matters when the root is no further
/// away than the layers that are left. The removed node itself matters to
/// nobody.
/// @param distance  per node of the graph, to the root; larger than `rounds`
///                  for nodes that the root does not hear.
ChangedNodes changed_nodes(const Graph& graph, int64_t removed, int64_t rounds,
                           const std::vector<int64_t>& distance);

}  // namespace ordered_gnn::explain
