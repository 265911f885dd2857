#include "explain/heard_part.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "explain/neighbours.h"
#include "explain/part_edges.h"

namespace ordered_gnn::explain {
namespace {

// All edges to the places that `is_whole` admits.
template <typename IsWhole>
PartEdges edges_of(const Graph& graph, const std::vector<int64_t>& nodes,
                   const std::vector<int64_t>& place, const IsWhole& is_whole) {
  const Neighbours neighbours(graph.in());
  PartEdges edges(graph.weights());
  for (const int64_t v : nodes) {
    if (!is_whole(v)) continue;
    neighbours.for_each_edge(v, [&](int64_t u, int64_t e) {
      edges.add(place[static_cast<size_t>(u)], place[static_cast<size_t>(v)],
                e);
    });
  }
  return edges;
}

HeardPart whole_graph(const NodeDataset& data) {
  HeardPart part;
  part.nodes.resize(static_cast<size_t>(data.num_nodes()));
  std::iota(part.nodes.begin(), part.nodes.end(), int64_t{0});
  const PartEdges edges = edges_of(data.graph, part.nodes, part.nodes,
                                   [](int64_t) { return true; });
  part.edges = edges.ends();
  part.weights = edges.weights();
  part.graph = data.graph;
  part.features = data.features;
  return part;
}

}  // namespace

NodeFeatures rows_of(const NodeFeatures& features,
                     const std::vector<int64_t>& nodes) {
  if (features.kind() == NodeFeatures::Kind::dense) {
    const auto count = static_cast<int64_t>(nodes.size());
    at::Tensor places = at::empty({count}, at::kLong);
    std::copy(nodes.begin(), nodes.end(), places.data_ptr<int64_t>());
    return NodeFeatures::dense(features.dense_values().index_select(0, places));
  }
  const SparseRows& rows = features.rows();
  const int64_t* const begin = rows.rowptr.data_ptr<int64_t>();
  at::Tensor ends =
      at::zeros({static_cast<int64_t>(nodes.size()) + 1}, at::kLong);
  int64_t* const end = ends.data_ptr<int64_t>();
  for (size_t i = 0; i < nodes.size(); ++i) {
    end[i + 1] = end[i] + begin[nodes[i] + 1] - begin[nodes[i]];
  }
  at::Tensor col = at::empty({end[nodes.size()]}, at::kInt);
  at::Tensor value = at::empty({end[nodes.size()]}, at::kFloat);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int64_t from = begin[nodes[i]], to = begin[nodes[i] + 1];
    std::copy(rows.col.data_ptr<int32_t>() + from,
              rows.col.data_ptr<int32_t>() + to,
              col.data_ptr<int32_t>() + end[i]);
    std::copy(rows.value.data_ptr<float>() + from,
              rows.value.data_ptr<float>() + to,
              value.data_ptr<float>() + end[i]);
  }
  return NodeFeatures::sparse({ends, col, value}, features.num_features());
}

Reached reach(const Graph& graph, int64_t node, int64_t rounds) {
  const Neighbours neighbours(graph.in());
  std::vector<bool> seen(static_cast<size_t>(graph.num_nodes()));
  seen[static_cast<size_t>(node)] = true;
  Reached out{{node}, {0}};
  size_t begin = 0;
  for (int64_t step = 1; step <= rounds && begin < out.nodes.size(); ++step) {
    const size_t end = out.nodes.size();
    for (size_t i = begin; i < end; ++i) {
      neighbours.for_each(out.nodes[i], [&](int64_t u) {
        if (seen[static_cast<size_t>(u)]) return;
        seen[static_cast<size_t>(u)] = true;
        out.nodes.push_back(u);
        out.distance.push_back(step);
      });
    }
    std::sort(out.nodes.begin() + static_cast<ptrdiff_t>(end), out.nodes.end());
    begin = end;
  }
  return out;
}

int64_t HeardPart::place_of(int64_t node) const {
  const auto found = std::lower_bound(nodes.begin(), nodes.end(), node);
  if (found == nodes.end() || *found != node) return -1;
  return found - nodes.begin();
}

Graph HeardPart::without(int64_t place) const {
  const int64_t count = edges.size(1);
  const int64_t* const from = edges.data_ptr<int64_t>();
  const int64_t* const to = from + count;
  PartEdges left(weights);
  left.reserve(count);
  for (int64_t e = 0; e < count; ++e) {
    if (from[e] == place || to[e] == place) continue;
    left.add(from[e], to[e], e);
  }
  return left.graph(static_cast<int64_t>(nodes.size()));
}

HeardPart heard_part(const NodeDataset& data, int64_t node, int64_t rounds) {
  if (rounds < 0) return whole_graph(data);
  const Reached reached = reach(data.graph, node, rounds + 1);
  if (static_cast<int64_t>(reached.nodes.size()) == data.num_nodes()) {
    return whole_graph(data);
  }
  HeardPart part;
  part.nodes = reached.nodes;
  std::sort(part.nodes.begin(), part.nodes.end());
  // Place and whether all in-edges are taken along, for the nodes of the part.
  std::vector<int64_t> place(static_cast<size_t>(data.num_nodes()), -1);
  std::vector<bool> is_whole(static_cast<size_t>(data.num_nodes()));
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    place[static_cast<size_t>(part.nodes[i])] = static_cast<int64_t>(i);
  }
  for (size_t i = 0; i < reached.nodes.size(); ++i) {
    is_whole[static_cast<size_t>(reached.nodes[i])] =
        reached.distance[i] <= rounds;
  }
  const PartEdges edges =
      edges_of(data.graph, part.nodes, place,
               [&](int64_t v) { return is_whole[static_cast<size_t>(v)]; });
  part.edges = edges.ends();
  part.weights = edges.weights();
  part.graph = edges.graph(static_cast<int64_t>(part.nodes.size()));
  part.features = rows_of(data.features, part.nodes);
  return part;
}

}  // namespace ordered_gnn::explain
