#include "support/graphs.h"

#include <ATen/Functions.h>

#include <utility>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Pairs random_pairs(int64_t num_nodes, int64_t num_edges, uint64_t seed) {
  RandomStream random(seed);
  Pairs edges;
  for (int64_t e = 0; e < num_edges; ++e) {
    const auto first = static_cast<int64_t>(random.below(num_nodes));
    const auto second = static_cast<int64_t>(random.below(num_nodes));
    edges.emplace_back(first, second);
  }
  return edges;
}

Pairs star_pairs(int64_t num_nodes) {
  Pairs edges;
  for (int64_t v = 1; v < num_nodes; ++v) {
    edges.emplace_back(0, v);
    edges.emplace_back(v, 0);
  }
  return edges;
}

}  // namespace

Graph one_node() { return no_edges(1); }

Graph one_node_with_loop() { return Graph::from_edges(1, Pairs{{0, 0}}); }

Graph no_edges(int64_t num_nodes) {
  return Graph::from_edges(num_nodes, Pairs{});
}

Graph isolated_nodes() {
  return Graph::from_edges(8, Pairs{{0, 1}, {1, 2}, {2, 1}, {0, 3}, {2, 2}});
}

Graph random_graph(int64_t num_nodes, int64_t num_edges, uint64_t seed) {
  return Graph::from_edges(num_nodes, random_pairs(num_nodes, num_edges, seed));
}

Graph star(int64_t num_nodes) {
  return Graph::from_edges(num_nodes, star_pairs(num_nodes));
}

Graph chain(int64_t num_nodes) {
  Pairs edges;
  for (int64_t v = 0; v + 1 < num_nodes; ++v) edges.emplace_back(v, v + 1);
  return Graph::from_edges(num_nodes, edges);
}

Graph large_graph() {
  constexpr int64_t kNodes = 3000;
  Pairs edges = random_pairs(kNodes, 40000, 11);
  const Pairs hub = star_pairs(kNodes);
  edges.insert(edges.end(), hub.begin(), hub.end());
  return Graph::from_edges(kNodes, edges);
}

Graph weighted(const Graph& graph, uint64_t seed) {
  RandomStream random(seed);
  const at::Tensor receivers = at::repeat_interleave(graph.in().rowptr.diff());
  const at::Tensor senders = graph.in().col.to(at::kLong);
  GraphOptions options;
  options.weights = at::empty({graph.num_edges()}, at::kFloat);
  float* const weight = options.weights.data_ptr<float>();
  for (int64_t e = 0; e < graph.num_edges(); ++e) {
    weight[e] = random.below(5) == 0
                    ? 0.0F
                    : static_cast<float>(0.01 + 1.99 * random.uniform());
  }
  return Graph::from_edges(graph.num_nodes(), at::stack({senders, receivers}),
                           options);
}

std::vector<NamedGraph> small_graphs() {
  return {{"one node", one_node()},
          {"one node with a loop", one_node_with_loop()},
          {"no edges", no_edges(4)},
          {"isolated nodes", isolated_nodes()},
          {"random directed", random_graph(13, 60, 5)},
          {"star", star(9)},
          {"chain", chain(7)}};
}

Graph one_way(const Graph& graph) {
  const at::Tensor senders = graph.in().col.to(at::kLong);
  const at::Tensor receivers = at::repeat_interleave(graph.in().rowptr.diff());
  const at::Tensor kept = senders.le(receivers).nonzero().flatten();
  return Graph::from_edges(
      graph.num_nodes(), at::stack({senders, receivers}).index_select(1, kept));
}

}  // namespace ordered_gnn
