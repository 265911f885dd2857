#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::explain {

/// Nodes in the order in which their messages reach a node.
struct Reached {
  std::vector<int64_t> nodes;     ///< by distance, then id; itself first
  std::vector<int64_t> distance;  ///< rounds until the first message, of each
};

/// @param rounds  that are counted; nodes further away are left out.
Reached reach(const Graph& graph, int64_t node, int64_t rounds);

/// Features of some nodes. One-hot rows stay as wide as the whole graph.
NodeFeatures rows_of(const NodeFeatures& features,
                     const std::vector<int64_t>& nodes);

/// A part of a graph on which a model says of one node what it says on the
/// whole graph, because every state that the node's depends on is in it with
/// all its messages, and every node whose degree matters with its true degree.
struct HeardPart {
  std::vector<int64_t> nodes;  ///< ids in the whole graph, rising
  at::Tensor edges;            ///< [2, E] int64 of places in `nodes`
  at::Tensor weights;          ///< [E] float32 of the edges; may be undefined
  Graph graph;
  NodeFeatures features;

  /// Place of a node in `nodes`, or -1.
  int64_t place_of(int64_t node) const;
  /// The graph without any edge from or to a place.
  Graph without(int64_t place) const;
};

/// States after `rounds` rounds depend on nodes up to that distance. One step
/// more is taken along, since messages are scaled by the degrees of their
/// senders. @param rounds  -1 for all of the graph.
HeardPart heard_part(const NodeDataset& data, int64_t node, int64_t rounds);

}  // namespace ordered_gnn::explain
