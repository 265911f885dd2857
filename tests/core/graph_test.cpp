#include "ordered_gnn/core/graph.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/random.h"
#include "support/errors.h"

namespace ordered_gnn::core {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

std::vector<int64_t> row(const Adjacency& list, int64_t v) {
  const at::Tensor col = list.col.to(at::kLong);
  const int64_t begin = list.rowptr[v].item<int64_t>();
  const int64_t end = list.rowptr[v + 1].item<int64_t>();
  std::vector<int64_t> out;
  for (int64_t e = begin; e < end; ++e) out.push_back(col[e].item<int64_t>());
  return out;
}

TEST(Graph, MessagesFlowFromTheFirstToTheSecondNodeAsStored) {
  const Graph graph = Graph::from_edges(3, Pairs{{0, 2}, {1, 2}});
  EXPECT_EQ(row(graph.in(), 2), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(row(graph.in(), 0).empty());
  EXPECT_EQ(graph.in().col.scalar_type(), at::kInt);
}

TEST(Graph, ReversedAndUndirectedTurnTheEdges) {
  const Pairs edges = {{0, 2}, {1, 2}};
  const Graph reversed =
      Graph::from_edges(3, edges, {Direction::reversed, SelfLoops::keep});
  EXPECT_EQ(row(reversed.in(), 0), (std::vector<int64_t>{2}));
  const Graph both =
      Graph::from_edges(3, edges, {Direction::undirected, SelfLoops::keep});
  EXPECT_EQ(both.num_edges(), 4);
  EXPECT_EQ(row(both.in(), 2), (std::vector<int64_t>{0, 1}));
}

TEST(Graph, AddGivesEveryNodeExactlyOneLoop) {
  const Graph graph = Graph::from_edges(3, Pairs{{1, 1}, {0, 1}},
                                        {Direction::as_stored, SelfLoops::add});
  EXPECT_EQ(graph.num_self_loops(), 3);
  EXPECT_EQ(row(graph.in(), 1), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(row(graph.in(), 2), (std::vector<int64_t>{2}));
}

TEST(Graph, KeepAndRemoveTreatStoredLoops) {
  const Pairs edges = {{1, 1}, {0, 1}};
  EXPECT_EQ(Graph::from_edges(2, edges).num_self_loops(), 1);
  const Graph bare =
      Graph::from_edges(2, edges, {Direction::undirected, SelfLoops::remove});
  EXPECT_EQ(bare.num_self_loops(), 0);
  EXPECT_EQ(bare.num_edges(), 2);
}

TEST(Graph, CountsDuplicatesOfStoredPairsOnly) {
  const Pairs edges = {{0, 1}, {0, 1}, {1, 0}, {0, 1}};
  const Graph graph =
      Graph::from_edges(2, edges, {Direction::undirected, SelfLoops::keep});
  EXPECT_EQ(graph.num_duplicates(), 2);
  EXPECT_EQ(graph.num_edges(), 2);
}

TEST(Graph, AnIdOutOfRangeIsNamedWithItsEdge) {
  for (const int64_t bad : {int64_t{3}, int64_t{-1}}) {
    try {
      Graph::from_edges(3, Pairs{{0, 1}, {2, bad}});
      FAIL() << "accepted node " << bad;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("edge 1"), std::string::npos) << message;
      EXPECT_NE(message.find(std::to_string(bad)), std::string::npos);
    }
  }
}

TEST(Graph, TensorsThatAreNoEdgesAreRefused) {
  for (const at::Tensor& edges :
       {torch::zeros({4}, at::kLong), torch::zeros({3, 4}, at::kLong),
        torch::zeros({2, 4}, at::kInt)}) {
    EXPECT_TRUE(contains(error_of([&] { Graph::from_edges(3, edges); }),
                         "edges must be [2, E] int64"));
  }
  EXPECT_TRUE(contains(error_of([] {
                         Graph::from_edges(-1, torch::zeros({2, 0}, at::kLong));
                       }),
                       "a graph needs 0 or more nodes, got -1"));
}

TEST(Graph, TheTransposeListsEveryEdgeOnceWithItsPosition) {
  at::manual_seed(3);
  const at::Tensor edges = torch::randint(0, 20, {2, 100}, at::kLong);
  const Graph graph = Graph::from_edges(20, edges);
  const at::Tensor in_col = graph.in().col.to(at::kLong);
  const at::Tensor edge = graph.edge_of_out();
  EXPECT_TRUE(
      torch::equal(std::get<0>(edge.sort()), torch::arange(graph.num_edges())));
  for (int64_t u = 0; u < 20; ++u) {
    const int64_t begin = graph.out().rowptr[u].item<int64_t>();
    const int64_t end = graph.out().rowptr[u + 1].item<int64_t>();
    for (int64_t slot = begin; slot < end; ++slot) {
      const int64_t e = edge[slot].item<int64_t>();
      const int64_t v = graph.out().col[slot].item<int64_t>();
      EXPECT_EQ(in_col[e].item<int64_t>(), u);
      EXPECT_LE(graph.in().rowptr[v].item<int64_t>(), e);
      EXPECT_LT(e, graph.in().rowptr[v + 1].item<int64_t>());
    }
  }
}

TEST(Graph, AMovedGraphHasAllListsOnItsDevice) {
  const Graph graph = Graph::from_edges(3, Pairs{{0, 2}, {1, 2}, {2, 0}});
  // A device that every LibTorch has, and that holds shapes alone.
  const Graph moved = graph.to(at::kMeta);
  for (const at::Tensor& tensor :
       {moved.in().rowptr, moved.in().col, moved.out().rowptr, moved.out().col,
        moved.edge_of_out(), moved.inverse_in_degree()}) {
    EXPECT_TRUE(tensor.is_meta());
  }
  EXPECT_EQ(moved.edge_of_out().numel(), 3);
  EXPECT_EQ(moved.num_nodes(), 3);
}

TEST(Graph, EmptyGraphsAreGraphs) {
  EXPECT_EQ(Graph().num_nodes(), 0);
  const Graph lonely = Graph::from_edges(4, Pairs{});
  EXPECT_EQ(lonely.num_edges(), 0);
  EXPECT_EQ(lonely.out().rowptr.numel(), 5);
  EXPECT_TRUE(
      torch::equal(lonely.inverse_in_degree(), torch::ones({4}, at::kDouble)));
}

TEST(Graph, NamesOfTreatmentsRoundTripAndSuggest) {
  for (const char* name : {"as_stored", "reversed", "undirected"}) {
    EXPECT_EQ(to_string(parse_direction(name)), name);
  }
  for (const char* name : {"keep", "remove", "add"}) {
    EXPECT_EQ(to_string(parse_self_loops(name)), name);
  }
  try {
    parse_direction("undirectd");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'undirected'"),
              std::string::npos);
  }
}

TEST(Graph, TwoHopsListsNodesExactlyTwoStepsAway) {
  // 0 -> 1 -> 2 -> 3, a short cut 0 -> 2, a way back 1 -> 0 and a loop.
  const Graph graph = Graph::from_edges(
      5, Pairs{{0, 1}, {1, 2}, {2, 3}, {0, 2}, {1, 0}, {2, 2}});
  const Graph& two = graph.two_hop();
  EXPECT_EQ(two.num_nodes(), 5);
  // 3 hears 2, so 0 and 1 are two steps away; 2 hears 0 and 1 already.
  EXPECT_EQ(row(two.in(), 3), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(row(two.in(), 2).empty());
  // 0 hears 1, which hears 0: a node is not its own neighbour.
  EXPECT_TRUE(row(two.in(), 0).empty());
  EXPECT_TRUE(row(two.in(), 4).empty());
  EXPECT_EQ(two.num_edges(), 2);
  EXPECT_EQ(row(two.out(), 0), (std::vector<int64_t>{3}));
  EXPECT_DOUBLE_EQ(two.inverse_in_degree()[3].item<double>(), 0.5);
}

TEST(Graph, TwoHopsAgreesWithTheSquareOfTheAdjacency) {
  RandomStream random(2);
  Pairs edges;
  for (int e = 0; e < 60; ++e) {
    edges.emplace_back(static_cast<int64_t>(random.below(20)),
                       static_cast<int64_t>(random.below(20)));
  }
  const auto dense = [](const Graph& graph) {
    const at::Tensor out = torch::zeros({20, 20});
    for (int64_t v = 0; v < 20; ++v) {
      for (const int64_t u : row(graph.in(), v)) out[v][u] = 1;
    }
    return out;
  };
  const Graph graph = Graph::from_edges(20, edges);
  const at::Tensor one = dense(graph);
  const at::Tensor expected =
      one.matmul(one).gt(0).logical_and(one.eq(0)).logical_and(
          torch::eye(20).eq(0));
  EXPECT_TRUE(torch::equal(dense(graph.two_hop()).gt(0), expected));
  // Built once and shared.
  const Graph copy = graph;  // NOLINT: the copy is what is tested
  EXPECT_EQ(&copy.two_hop(), &graph.two_hop());
}

TEST(Graph, TwoHopsOfAGraphWithoutEdgesIsEmpty) {
  EXPECT_EQ(Graph().two_hop().num_nodes(), 0);
  EXPECT_EQ(Graph::from_edges(3, Pairs{}).two_hop().num_edges(), 0);
}

}  // namespace
}  // namespace ordered_gnn::core
