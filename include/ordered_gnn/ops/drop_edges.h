#pragma once
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn {

/// A random part of a graph: every edge but loops is left out with probability
/// p, the two directions of a pair apart. Degrees, and sums of weights where
/// the graph has them, are those of what is left.
///
/// Whether edge e of graph.in() stays depends on the key and e alone, as the
/// mask of dropout() does; its two_hop() is the same of graph.two_hop() at the
/// site after. Not differentiable. On a GPU the lists keep their lengths, what
/// is behind the last row being without meaning, so that the host waits for
/// nothing and a CUDA graph can hold the call; num_edges() is that length then.
///
/// @param p  in [0, 1); 0 returns `graph` itself.
/// @throws c10::Error when p is outside [0, 1).
Graph drop_edges(const Graph& graph, double p, const DropoutKey& key);

}  // namespace ordered_gnn
