#include "ordered_gnn/ops/edge_softmax.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ops/graph_op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

const GraphFunction softmax_on = on_graphs(edge_softmax);
const GraphFunction softmax_reference_on = on_graphs(reference::edge_softmax);

at::Tensor scores_of(const Graph& graph, at::ScalarType dtype) {
  return random_tensor({graph.num_edges()}, dtype, 51, -4, 4);
}

// An edge has one score, whatever the width of rows.
const GraphOp kSoftmax = {
    softmax_on,
    softmax_reference_on,
    [](const Graph& graph, int64_t /*width*/, at::ScalarType dtype) {
      return Tensors{scores_of(graph, dtype)};
    },
    {"score"}};

TEST(EdgeSoftmax, SharesOutEveryNodesInEdgesAsWorkedByHand) {
  // In-lists: node 0 hears 2; node 2 hears 0 and 1.
  const Graph graph = Graph::from_edges(3, {{1, 2}, {0, 2}, {2, 0}});
  const double ln3 = std::log(3.0);
  const at::Tensor score = torch::tensor({-7.0, 0.0, ln3}, at::kDouble);
  const at::Tensor expected = torch::tensor({1.0, 0.25, 0.75}, at::kDouble);
  EXPECT_TRUE(close_to(edge_softmax(graph, score), expected));
}

TEST(EdgeSoftmax, LargeScoresDoNotOverflow) {
  const Graph graph = Graph::from_edges(2, {{0, 1}, {1, 1}});
  const at::Tensor out = edge_softmax(graph, torch::tensor({1e4f, 1e4f}));
  EXPECT_TRUE(torch::equal(out, torch::tensor({0.5f, 0.5f})));
}

TEST(EdgeSoftmax, MatchesTheReferenceOnEverySmallGraph) {
  expect_matches_on_small_graphs(kSoftmax);
}

TEST(EdgeSoftmax, RowsOfAnyLengthMatchTheReferenceAtEveryInstructionSet) {
  for_every_simd_level([] {
    for (const int64_t length : kWidths) {
      SCOPED_TRACE(length);
      const Graph graph = star(length + 1);
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches(softmax_on(graph), softmax_reference_on(graph),
                       {scores_of(graph, dtype)});
      }
    }
  });
}

TEST(EdgeSoftmax, GradientsAgreeWithCentralDifferences) {
  expect_gradients_on_small_graphs(kSoftmax);
}

TEST(EdgeSoftmax, OutputRequiresGradOnlyWhenTheInputDoes) {
  expect_gradients_flow(softmax_on(chain(3)),
                        {scores_of(chain(3), at::kFloat)});
}

TEST(EdgeSoftmax, AcceptsInputsWithGaps) {
  const Graph graph = random_graph(20, 80, 8);
  expect_accepts_strided(softmax_on(graph), {scores_of(graph, at::kFloat)});
}

TEST(EdgeSoftmax, GraphsWithoutEdgesHaveNoEntries) {
  for (const Graph& graph : {Graph(), no_edges(3)}) {
    expect_matches(softmax_on(graph), softmax_reference_on(graph),
                   {torch::empty({0})});
  }
}

TEST(EdgeSoftmax, IsTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = large_graph();
  expect_same_bits_for_any_threads(softmax_on(graph),
                                   {scores_of(graph, at::kFloat)});
}

TEST(EdgeSoftmax, IsARegisteredOp) {
  EXPECT_TRUE(is_registered("edge_softmax"));
  EXPECT_TRUE(is_registered("edge_softmax_backward"));
  EXPECT_FALSE(is_registered("edge_softmin"));
}

TEST(EdgeSoftmax, HeadsAreColumnsOfTheirOwn) {
  const Graph graph = random_graph(30, 200, 12);
  for (const int64_t heads : {1, 2, 8, 13}) {
    SCOPED_TRACE(heads);
    const at::Tensor scores =
        random_tensor({graph.num_edges(), heads}, at::kDouble, 53, -4, 4);
    expect_matches(softmax_on(graph), softmax_reference_on(graph), {scores});
    const at::Tensor out = edge_softmax(graph, scores);
    for (int64_t i = 0; i < heads; ++i) {
      EXPECT_TRUE(
          close_to(out.select(1, i), edge_softmax(graph, scores.select(1, i))));
    }
  }
}

TEST(EdgeSoftmax, HeadsAreTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = large_graph();
  expect_same_bits_for_any_threads(
      softmax_on(graph),
      {random_tensor({graph.num_edges(), 3}, at::kFloat, 54)});
}

TEST(EdgeSoftmax, RefusesScoresThatAreNotOnePerEdge) {
  const Graph graph = chain(3);
  expect_error([&] { edge_softmax(graph, torch::ones({3})); },
               "score must have 2 entries, one per edge, got 3");
  expect_error(
      [&] {
        edge_softmax(graph, torch::ones({2, 1, 1}));
      },
      "score must be [E] or [E, H], got [2, 1, 1]");
  expect_error([&] { edge_softmax(graph, torch::ones({2}, at::kLong)); },
               "score must be float32 or float64, got Long");
}

}  // namespace
}  // namespace ordered_gnn
