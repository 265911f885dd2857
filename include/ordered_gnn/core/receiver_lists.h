#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// The edges of a graph that lead to some nodes, for work on those alone. Their
/// places are the positions in `nodes`. Weights are not taken along: who reads
/// them works on the whole graph.
struct ReceiverLists {
  at::Tensor nodes;  ///< [R] int64, distinct
  /// [N] int32: the place of a node, -1 for one that is not among them.
  at::Tensor place;
  /// rowptr [R + 1]: row i lists the nodes that nodes[i] receives from.
  Adjacency in;
  /// rowptr [N + 1]: row v lists the places of the nodes that receive from v,
  /// in the order of Graph::out().
  Adjacency out;
};

/// On the device of the graph, which it waits for.
/// @param nodes  [R] int64 on that device, distinct, each in 0 .. N - 1.
ReceiverLists receiver_lists(const Graph& graph, const at::Tensor& nodes);

}  // namespace ordered_gnn
