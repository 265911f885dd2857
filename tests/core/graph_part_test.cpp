#include "core/graph_part.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>

#include "support/errors.h"
#include "support/graphs.h"

namespace ordered_gnn::core {
namespace {

using Edges = std::vector<std::pair<int64_t, int64_t>>;

at::Tensor edge_tensor(const Edges& edges) {
  const at::Tensor out =
      torch::empty({2, static_cast<int64_t>(edges.size())}, at::kLong);
  for (size_t e = 0; e < edges.size(); ++e) {
    out[0][static_cast<int64_t>(e)] = edges[e].first;
    out[1][static_cast<int64_t>(e)] = edges[e].second;
  }
  return out;
}

std::vector<int64_t> row(const Graph& graph, int64_t v) {
  std::vector<int64_t> out;
  GrownLists(graph.in()).for_each(v, [&](int64_t u) { out.push_back(u); });
  return out;
}

bool have_the_same_lists(const Graph& a, const Graph& b) {
  return torch::equal(a.in().rowptr, b.in().rowptr) &&
         torch::equal(a.in().col, b.in().col) &&
         a.in().col.scalar_type() == b.in().col.scalar_type() &&
         torch::equal(a.inverse_in_degree(), b.inverse_in_degree()) &&
         a.num_self_loops() == b.num_self_loops();
}

// Old edges with a loop, and additions that repeat one another and old ones,
// with a loop of an old and of a new node.
const Edges kOld = {{0, 1}, {1, 2}, {2, 2}, {3, 0}, {2, 4}, {4, 2}};
const Edges kAdded = {{5, 1}, {5, 1}, {0, 1}, {2, 6}, {6, 6},
                      {3, 3}, {1, 3}, {2, 1}, {6, 2}};

TEST(GrownLists, AreThoseOfAGraphThatIsBuiltAtOnce) {
  Edges all = kOld;
  all.insert(all.end(), kAdded.begin(), kAdded.end());
  for (const Direction direction :
       {Direction::as_stored, Direction::reversed, Direction::undirected}) {
    for (const SelfLoops loops :
         {SelfLoops::keep, SelfLoops::remove, SelfLoops::add}) {
      SCOPED_TRACE(to_string(direction) + " " + to_string(loops));
      const GraphOptions options{direction, loops};
      const Graph old = Graph::from_edges(5, kOld, options);
      const Graph want = Graph::from_edges(7, all, options);
      const GrownLists grown(
          old.in(), 7, added_entries(old, 7, edge_tensor(kAdded), options));
      EXPECT_TRUE(have_the_same_lists(Graph::from_rows(grown.merged()), want));
      EXPECT_EQ(grown.num_edges(), want.num_edges());
      for (int64_t v = 0; v < 7; ++v) {
        EXPECT_EQ(grown.degree(v), static_cast<int64_t>(row(want, v).size()));
      }
    }
  }
}

TEST(GrownLists, AnEdgeToNowhereIsNamed) {
  const Graph old = Graph::from_edges(5, kOld);
  EXPECT_TRUE(
      contains(error_of([&] {
                 added_entries(old, 6, edge_tensor({{0, 1}, {6, 0}}), {});
               }),
               "added edge 1 names node 6, but nodes are 0 to 5"));
}

TEST(GrownLists, TensorsThatAreNoEdgesAreRefused) {
  const Graph old = Graph::from_edges(5, kOld);
  for (const at::Tensor& edges :
       {torch::zeros({4}, at::kLong), torch::zeros({3, 4}, at::kLong),
        torch::zeros({2, 4}, at::kInt)}) {
    EXPECT_TRUE(contains(error_of([&] { added_entries(old, 6, edges, {}); }),
                         "added edges must be [2, E] int64 on the CPU"));
  }
}

TEST(GraphFromRows, KeepsDegreesAndLeavesTheTransposeForLater) {
  const Graph whole = random_graph(20, 60, 3);
  const at::Tensor degree = torch::full({20}, 4, at::kLong);
  const Graph part = Graph::from_rows(whole.in(), degree);
  EXPECT_TRUE(torch::equal(part.out().col, whole.out().col));
  EXPECT_TRUE(torch::equal(part.edge_of_out(), whole.edge_of_out()));
  EXPECT_TRUE(torch::equal(part.inverse_in_degree(),
                           torch::full({20}, 0.25, at::kDouble)));
  EXPECT_TRUE(have_the_same_lists(part.two_hop(), whole.two_hop()));
}

// Distance against the messages, by the definition.
std::map<int64_t, int64_t> distances(const Graph& graph,
                                     const std::vector<int64_t>& roots,
                                     int64_t hops) {
  std::map<int64_t, int64_t> out;
  for (const int64_t v : roots) out[v] = 0;
  for (int64_t step = 1; step <= hops; ++step) {
    const std::map<int64_t, int64_t> before = out;
    for (const auto& [v, distance] : before) {
      for (const int64_t u : row(graph, v)) out.emplace(u, step);
    }
  }
  return out;
}

void expect_part(const Graph& whole, const GraphPart& part,
                 const std::map<int64_t, int64_t>& distance, int64_t full) {
  ASSERT_EQ(part.nodes.size(), distance.size());
  const auto places = static_cast<int64_t>(part.nodes.size());
  for (int64_t i = 0; i < places; ++i) {
    const int64_t v = part.nodes[static_cast<size_t>(i)];
    EXPECT_EQ(part.place_of(v), i);
    EXPECT_TRUE(torch::equal(part.graph.inverse_in_degree()[i],
                             whole.inverse_in_degree()[v]));
    std::vector<int64_t> senders;
    for (const int64_t u : row(part.graph, i)) {
      senders.push_back(part.nodes[static_cast<size_t>(u)]);
    }
    EXPECT_EQ(senders,
              distance.at(v) <= full ? row(whole, v) : std::vector<int64_t>{});
  }
}

TEST(GraphPart, HasTheRowsThatAreHeardInTimeAndAllDegrees) {
  const std::vector<int64_t> roots = {6, 3, 6};
  std::vector<NamedGraph> graphs = {{"sparse", random_graph(80, 120, 5)},
                                    {"long chain", chain(40)}};
  for (const NamedGraph& item : small_graphs()) {
    if (item.graph.num_nodes() > 6) graphs.push_back(item);
  }
  for (const NamedGraph& item : graphs) {
    for (const int64_t hops : {0, 1, 2, 3, 50}) {
      SCOPED_TRACE(item.name + " " + std::to_string(hops));
      const GrownLists lists(item.graph.in());
      const auto part =
          graph_part(lists, roots, {hops, item.graph.num_edges()});
      ASSERT_TRUE(part.has_value());
      const auto distance = distances(item.graph, roots, hops);
      expect_part(item.graph, *part, distance, hops - 1);
      expect_part(item.graph.two_hop(), {part->nodes, part->graph.two_hop()},
                  distance, hops - 2);
      std::vector<int64_t> reached;
      for (const auto& [v, steps] : distance) reached.push_back(v);
      EXPECT_EQ(reached_nodes(lists, roots, hops), reached);
    }
  }
}

TEST(GraphPart, IsNotMadeWithMoreEdgesThanAllowed) {
  const GrownLists lists(chain(100).in());
  EXPECT_TRUE(graph_part(lists, {50}, {10, 10}).has_value());
  EXPECT_FALSE(graph_part(lists, {50}, {10, 9}).has_value());
  EXPECT_TRUE(graph_part(lists, {0}, {10, 0}).has_value());
}

}  // namespace
}  // namespace ordered_gnn::core
