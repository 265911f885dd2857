#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/grown_lists.h"
#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::core {

/// How much of a graph a part of it takes along.
struct PartExtent {
  /// Steps against the messages from the nodes that the part is made for.
  int64_t hops = 0;
  /// A part with more edges is not made.
  int64_t max_edges = 0;
};

/// A part of a graph on which some nodes hear in `hops` rounds of messages what
/// they hear on the whole graph. Nodes at the rim have no in-edges: nothing
/// that they hear arrives in time. Every node has its degree in the whole
/// graph, in two_hop() too, since messages are scaled by the degrees of their
/// senders. Rows list neighbours in the order of the whole graph, so that sums
/// are made in its order.
struct GraphPart {
  std::vector<int64_t> nodes;  ///< ids in the whole graph, rising
  Graph graph;                 ///< node i is nodes[i]

  /// Place of a node that is among `nodes`.
  int64_t place_of(int64_t node) const;
};

/// @param lists  in-lists of the whole graph; what two_hop() needs of them is
///               kept.
/// @param roots  nodes that the part is made for, in any order, also twice.
/// @return       nothing when the part would have more than max_edges edges;
///               found out without visiting many more.
std::optional<GraphPart> graph_part(const GrownLists& lists,
                                    const std::vector<int64_t>& roots,
                                    const PartExtent& extent);

/// Nodes that can be reached along `lists` from `roots` in at most `hops`
/// steps, the roots among them, rising.
std::vector<int64_t> reached_nodes(const GrownLists& lists,
                                   const std::vector<int64_t>& roots,
                                   int64_t hops);

}  // namespace ordered_gnn::core
