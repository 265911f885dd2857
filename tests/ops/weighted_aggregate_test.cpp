#include "ordered_gnn/ops/weighted_aggregate.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/detail/weighted_aggregate.h"
#include "ops/graph_op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

const GraphFunction weighted_mean_on = on_graphs(weighted_aggregate);
const GraphFunction weighted_mean_reference_on =
    on_graphs(reference::weighted_aggregate);

Tensors weighted_inputs(const Graph& graph, int64_t width,
                        at::ScalarType dtype) {
  return {random_tensor({graph.num_edges()}, dtype, 41),
          random_tensor({graph.num_nodes(), width}, dtype, 42)};
}

const GraphOp kWeighted = {weighted_mean_on,
                           weighted_mean_reference_on,
                           weighted_inputs,
                           {"weight", "h"}};

TEST(WeightedAggregate, WeighsEveryEdgeAsWorkedByHand) {
  // In-lists: node 0 hears 2; node 2 hears 0 and 1.
  const Graph graph = Graph::from_edges(3, {{1, 2}, {0, 2}, {2, 0}});
  const at::Tensor weight = torch::tensor({0.5f, 2.f, -1.f});
  const at::Tensor h = torch::tensor({{1.f, 2.f}, {3.f, 6.f}, {4.f, 8.f}});
  const at::Tensor expected =
      torch::tensor({{2.f, 4.f}, {0.f, 0.f}, {-1.f, -2.f}});
  EXPECT_TRUE(torch::equal(weighted_aggregate(graph, weight, h), expected));
}

INSTANTIATE_TEST_SUITE_P(WeightedAggregate, OpOverRows,
                         testing::Values(RowsOp{kWeighted,
                                                random_graph(60, 500, 24)}));

TEST(WeightedAggregate, TheRegisteredOpTakesWideColumns) {
  EXPECT_TRUE(is_registered("weighted_aggregate"));
  EXPECT_TRUE(is_registered("weighted_aggregate_backward"));
  const Graph graph = random_graph(20, 80, 9);
  const TensorFunction wide = [&](const Tensors& in) {
    detail::EdgeLists lists = detail::edge_lists(graph);
    lists.col = lists.col.to(at::kLong);
    lists.t_col = lists.t_col.to(at::kLong);
    return Tensors{detail::weighted_aggregate({lists, in[0], in[1]})};
  };
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    expect_matches(wide, weighted_mean_reference_on(graph),
                   weighted_inputs(graph, 5, dtype));
  }
}

TEST(WeightedAggregate, HeadsWeighTheirOwnColumnsAsWorkedByHand) {
  // In-lists: node 0 hears 2; node 2 hears 0 and 1.
  const Graph graph = Graph::from_edges(3, {{1, 2}, {0, 2}, {2, 0}});
  const at::Tensor weight =
      torch::tensor({{0.5f, 1.f}, {2.f, 10.f}, {-1.f, 0.f}});
  const at::Tensor h = torch::tensor({{1.f, 2.f}, {3.f, 6.f}, {4.f, 8.f}});
  const at::Tensor expected =
      torch::tensor({{2.f, 8.f}, {0.f, 0.f}, {-1.f, 20.f}});
  EXPECT_TRUE(torch::equal(weighted_aggregate(graph, weight, h), expected));
}

// Widths of a head that fill vectors of every size, and some that do not.
constexpr int64_t kHeadWidths[] = {1, 3, 4, 8, 16, 32, 40};

TEST(WeightedAggregate, HeadsOfEveryWidthMatchTheReference) {
  const Graph graph = random_graph(60, 500, 24);
  for_every_simd_level([&] {
    for (const int64_t heads : {1, 2, 5, 8}) {
      for (const int64_t width : kHeadWidths) {
        SCOPED_TRACE(testing::Message() << heads << " heads of " << width);
        for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
          expect_matches(
              weighted_mean_on(graph), weighted_mean_reference_on(graph),
              {random_tensor({graph.num_edges(), heads}, dtype, 43),
               random_tensor({graph.num_nodes(), heads * width}, dtype, 44)});
        }
      }
    }
  });
}

TEST(WeightedAggregate, GradientsOfHeadsAgreeWithCentralDifferences) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(gradients_match(
        weighted_mean_on(graph),
        {{"weight", random_tensor({graph.num_edges(), 2}, at::kDouble, 45)},
         {"h", random_tensor({graph.num_nodes(), 6}, at::kDouble, 46)}}));
  }
}

TEST(WeightedAggregate, HeadsAreTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = large_graph();
  expect_same_bits_for_any_threads(
      weighted_mean_on(graph),
      {random_tensor({graph.num_edges(), 4}, at::kFloat, 47),
       random_tensor({graph.num_nodes(), 32}, at::kFloat, 48)});
}

TEST(WeightedAggregate, RefusesHeadsThatDoNotShareTheWidth) {
  const Graph graph = chain(3);
  expect_error(
      [&] {
        weighted_aggregate(graph, torch::ones({2, 2}), torch::ones({3, 5}));
      },
      "a width of 5 is not divisible by 2 heads");
  expect_error(
      [&] {
        weighted_aggregate(graph, torch::ones({2, 0}), torch::ones({3, 5}));
      },
      "not divisible by 0 heads");
  expect_error(
      [&] {
        weighted_aggregate(graph, torch::ones({3, 2}), torch::ones({3, 4}));
      },
      "weight must be [2, 2], got [3, 2]");
}

TEST(WeightedAggregate, RefusesWrongShapesAndTypes) {
  const Graph graph = chain(3);
  const at::Tensor weight = torch::ones({2});
  const at::Tensor h = torch::ones({3, 2});
  expect_error(
      [&] {
        weighted_aggregate(graph, weight, torch::ones({4, 2}));
      },
      "h must be [3, D] to match the graph, got [4, 2]");
  expect_error([&] { weighted_aggregate(graph, torch::ones({3}), h); },
               "weight must be [2], got [3]");
  expect_error([&] { weighted_aggregate(graph, weight.to(at::kDouble), h); },
               "weight is Double but h is Float; convert one of them");
  expect_error(
      [&] {
        weighted_aggregate(graph, weight, torch::ones({3, 2}, at::kInt));
      },
      "h must be float32 or float64, got Int");
}

TEST(EdgeScores, AddTheScoresOfBothEnds) {
  const Graph graph = Graph::from_edges(3, {{1, 2}, {0, 2}, {2, 0}});
  const at::Tensor source = torch::tensor({1.f, 2.f, 3.f});
  const at::Tensor target = torch::tensor({10.f, 20.f, 30.f});
  // Edges in list order: 2 -> 0, 0 -> 2, 1 -> 2.
  EXPECT_TRUE(torch::equal(edge_scores(graph, source, target),
                           torch::tensor({13.f, 31.f, 32.f})));
}

TEST(EdgeScores, MatchTheReferenceWithTheirGradients) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph& g = graph;
    const auto op = [&](const Tensors& in) {
      return Tensors{edge_scores(g, in[0], in[1])};
    };
    const auto expected = [&](const Tensors& in) {
      return Tensors{reference::edge_scores(g, in[0], in[1])};
    };
    const at::Tensor source = random_tensor({g.num_nodes()}, at::kDouble, 1);
    const at::Tensor target = random_tensor({g.num_nodes()}, at::kDouble, 2);
    expect_matches(op, expected, {source, target});
    EXPECT_TRUE(gradients_match(op, {{"source", source}, {"target", target}}));
  }
  const Graph graph = random_graph(20, 90, 4);
  const at::Tensor source = random_tensor({20, 3}, at::kDouble, 3);
  const at::Tensor target = random_tensor({20, 3}, at::kDouble, 4);
  expect_matches(
      [&](const Tensors& in) {
        return Tensors{edge_scores(graph, in[0], in[1])};
      },
      [&](const Tensors& in) {
        return Tensors{reference::edge_scores(graph, in[0], in[1])};
      },
      {source, target});
  EXPECT_EQ(edge_scores(Graph(), torch::empty({0}), torch::empty({0})).numel(),
            0);
}

TEST(EdgeScores, RefuseScoresThatAreNotOnePerNode) {
  const Graph graph = chain(3);
  const at::Tensor scores = torch::ones({3});
  expect_error([&] { edge_scores(graph, torch::ones({4}), scores); },
               "edge_scores: source must be [3], got [4]");
  expect_error(
      [&] {
        edge_scores(graph, scores, torch::ones({3, 1}));
      },
      "edge_scores: target must be [3], got [3, 1]");
  expect_error([&] { edge_scores(graph, scores.to(at::kDouble), scores); },
               "edge_scores: source is Double but target is Float");
}

}  // namespace
}  // namespace ordered_gnn
