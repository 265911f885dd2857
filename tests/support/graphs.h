#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

struct NamedGraph {
  std::string name;
  Graph graph;
};

Graph one_node();
Graph one_node_with_loop();
Graph no_edges(int64_t num_nodes);
/// A few edges among the first nodes; the others have neither in- nor
/// out-edges, one only sends and one only receives.
Graph isolated_nodes();
/// Directed; `num_edges` draws with repetition, so loops occur and the number
/// of distinct edges is a little smaller.
Graph random_graph(int64_t num_nodes, int64_t num_edges, uint64_t seed);
/// Node 0 sends to and receives from every other node.
Graph star(int64_t num_nodes);
/// 0 -> 1 -> 2 -> ...
Graph chain(int64_t num_nodes);
/// Many blocks of work with a hub, for tests of threads.
Graph large_graph();

/// The same graph with weights from 0 to 2; about one in five is 0.
Graph weighted(const Graph& graph, uint64_t seed);

/// All shapes above at sizes that suit an exhaustive check.
std::vector<NamedGraph> small_graphs();

/// The edges of a graph that do not fall, loops among them: one that is
/// symmetric becomes directed.
Graph one_way(const Graph& graph);

}  // namespace ordered_gnn
