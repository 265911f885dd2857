#include "ordered_gnn/core/graph.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
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

}  // namespace
}  // namespace ordered_gnn
