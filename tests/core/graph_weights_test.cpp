// The weights of a graph's edges, as from_edges() makes them of stored ones.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "ordered_gnn/core/graph.h"
#include "support/errors.h"
#include "support/graphs.h"

namespace ordered_gnn::core {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Graph weighted_graph(int64_t num_nodes, const Pairs& edges,
                     const std::vector<float>& weights,
                     Direction direction = Direction::as_stored,
                     SelfLoops loops = SelfLoops::keep) {
  return Graph::from_edges(num_nodes, edges,
                           {direction, loops, torch::tensor(weights)});
}

// Weight of the edge u -> v, NaN where there is none.
float weight_of(const Graph& graph, int64_t u, int64_t v) {
  const int64_t end = graph.in().rowptr[v + 1].item<int64_t>();
  for (int64_t e = graph.in().rowptr[v].item<int64_t>(); e < end; ++e) {
    if (graph.in().col[e].item<int64_t>() == u) {
      return graph.weights()[e].item<float>();
    }
  }
  return std::nanf("");
}

TEST(GraphWeights, AreInTheOrderOfTheInLists) {
  const Graph graph = weighted_graph(3, {{2, 0}, {1, 0}, {0, 2}}, {5, 3, 0.5F});
  EXPECT_TRUE(torch::equal(graph.weights(), torch::tensor({3.F, 5.F, 0.5F})));
  EXPECT_TRUE(
      torch::equal(graph.in().col, torch::tensor({1, 2, 0}, torch::kInt)));
  EXPECT_FALSE(Graph::from_edges(3, Pairs{{0, 1}}).weights().defined());
  EXPECT_FALSE(Graph().factors().mean.defined());
}

TEST(GraphWeights, ListsAndDegreesAreThoseOfTheGraphWithout) {
  for (const auto& [name, plain] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph = weighted(plain, 7);
    EXPECT_TRUE(torch::equal(graph.in().rowptr, plain.in().rowptr));
    EXPECT_TRUE(torch::equal(graph.in().col, plain.in().col));
    EXPECT_TRUE(torch::equal(graph.out().col, plain.out().col));
    EXPECT_TRUE(
        torch::equal(graph.inverse_in_degree(), plain.inverse_in_degree()));
    EXPECT_EQ(graph.num_self_loops(), plain.num_self_loops());
    EXPECT_FALSE(graph.two_hop().weights().defined());
  }
}

TEST(GraphWeights, FollowTheDirectionAndGoBothWays) {
  const Pairs edges = {{0, 1}, {1, 2}};
  const std::vector<float> weights = {2, 3};
  EXPECT_EQ(
      weight_of(weighted_graph(3, edges, weights, Direction::reversed), 1, 0),
      2);
  const Graph both = weighted_graph(3, edges, weights, Direction::undirected);
  EXPECT_EQ(both.num_edges(), 4);
  EXPECT_EQ(weight_of(both, 0, 1), 2);
  EXPECT_EQ(weight_of(both, 1, 0), 2);
  EXPECT_EQ(weight_of(both, 2, 1), 3);
  EXPECT_EQ(both.num_uneven_pairs(), 0);
}

TEST(GraphWeights, RepeatsOfAPairAddUp) {
  const Pairs edges = {{0, 1}, {1, 0}, {0, 1}, {0, 1}};
  const Graph graph = weighted_graph(2, edges, {1, 10, 2, 4});
  EXPECT_EQ(graph.num_duplicates(), 2);
  EXPECT_EQ(weight_of(graph, 0, 1), 7);
  EXPECT_EQ(weight_of(graph, 1, 0), 10);
  EXPECT_EQ(graph.num_uneven_pairs(), 0) << "nothing is read both ways";
}

// A graph that stores both directions of every edge must not change when it is
// read both ways.
TEST(GraphWeights, OfTwoStoredDirectionsTheLargerCounts) {
  const Pairs even = {{0, 1}, {1, 0}, {2, 2}};
  const Graph same = weighted_graph(3, even, {2, 2, 9}, Direction::undirected);
  EXPECT_EQ(weight_of(same, 0, 1), 2);
  EXPECT_EQ(weight_of(same, 2, 2), 9) << "a loop is one message";
  EXPECT_EQ(same.num_uneven_pairs(), 0);
  const Pairs uneven = {{0, 1}, {1, 0}, {1, 0}, {1, 2}};
  const Graph graph =
      weighted_graph(3, uneven, {4, 2, 3, 1}, Direction::undirected);
  EXPECT_EQ(weight_of(graph, 0, 1), 5);
  EXPECT_EQ(weight_of(graph, 1, 0), 5);
  EXPECT_EQ(graph.num_uneven_pairs(), 1);
}

TEST(GraphWeights, AddedLoopsWeighOneAndStoredOnesKeepTheirs) {
  const Pairs edges = {{0, 0}, {0, 1}};
  const auto with = [&](SelfLoops loops) {
    return weighted_graph(3, edges, {6, 2}, Direction::as_stored, loops);
  };
  EXPECT_EQ(weight_of(with(SelfLoops::keep), 0, 0), 6);
  EXPECT_EQ(with(SelfLoops::remove).num_edges(), 1);
  const Graph added = with(SelfLoops::add);
  EXPECT_EQ(added.num_self_loops(), 3);
  EXPECT_EQ(weight_of(added, 0, 0), 6);
  EXPECT_EQ(weight_of(added, 1, 1), 1);
  EXPECT_EQ(weight_of(added, 0, 1), 2);
}

TEST(GraphWeights, FactorsAreSharesOfSumsByHand) {
  // d = 6, 4 and, where nothing comes in, 1.
  const Graph graph =
      weighted_graph(4, {{1, 0}, {2, 0}, {0, 1}, {3, 3}}, {2, 4, 4, 0});
  const EdgeFactors& factors = graph.factors();
  EXPECT_TRUE(torch::allclose(factors.mean,
                              torch::tensor({2 / 6.F, 4 / 6.F, 1.F, 0.F})));
  EXPECT_TRUE(
      torch::allclose(factors.symmetric,
                      torch::tensor({2 / std::sqrt(6.F * 4), 4 / std::sqrt(6.F),
                                     4 / std::sqrt(24.F), 0.F})));
}

TEST(GraphWeights, FactorsAreFiniteForTinyAndHugeWeights) {
  for (const float size : {1e-44F, 1e-30F, 1e30F, 3e38F}) {
    const Graph graph =
        weighted_graph(2, {{0, 1}, {1, 1}, {1, 0}}, {size, size, size});
    EXPECT_TRUE(
        torch::allclose(graph.factors().mean, torch::tensor({1.F, 0.5F, 0.5F})))
        << size;
    EXPECT_TRUE(graph.factors().symmetric.isfinite().all().item<bool>())
        << size;
  }
}

TEST(GraphWeights, AreMovedWithTheGraphAndKeptByLists) {
  const Graph graph = weighted(random_graph(9, 30, 2), 3);
  EXPECT_TRUE(torch::equal(graph.to(at::kCPU).weights(), graph.weights()));
  const Graph same = Graph::from_lists(
      graph.in(), graph.out(), graph.edge_of_out(), nullptr, graph.factors());
  EXPECT_TRUE(torch::equal(same.weights(), graph.weights()));
  const Graph plain =
      Graph::from_lists(graph.in(), graph.out(), graph.edge_of_out(), nullptr);
  EXPECT_FALSE(plain.weights().defined());
}

TEST(GraphWeights, RefuseWhatIsNoWeight) {
  const auto error = [](const at::Tensor& weights) {
    return error_of([&] {
      Graph::from_edges(3, Pairs{{0, 1}, {1, 2}},
                        {Direction::undirected, SelfLoops::add, weights});
    });
  };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(contains(error(torch::tensor({1.F, -0.5F})),
                       "edge 1 has the weight -0.5"));
  EXPECT_TRUE(contains(error(torch::tensor({std::nanf(""), 1.F})),
                       "edge 0 has the weight nan"));
  EXPECT_TRUE(contains(error(torch::tensor({1.F, infinity})),
                       "edge 1 has the weight inf"));
  for (const at::Tensor& wrong :
       {torch::ones({3}), torch::ones({2, 1}), torch::ones({2}, at::kDouble)}) {
    EXPECT_TRUE(contains(error(wrong), "weights must be [2] float32"));
  }
  EXPECT_TRUE(contains(error_of([] {
                         weighted_graph(2, {{0, 1}, {0, 1}}, {3e38F, 3e38F});
                       }),
                       "from node 0 to node 1 add up to"));
}

}  // namespace
}  // namespace ordered_gnn::core
