#include "ordered_gnn/ops/max_aggregate.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>

#include "ops/detail/max_aggregate.h"
#include "ops/op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

TensorFunction max_on(const Graph& graph) {
  return [graph](const Tensors& in) {
    return Tensors{max_aggregate(graph, in[0])};
  };
}

TensorFunction max_reference_on(const Graph& graph) {
  return [graph](const Tensors& in) {
    return Tensors{reference::max_aggregate(graph, in[0])};
  };
}

TEST(MaxAggregate, TakesTheLargestNeighbourAsWorkedByHand) {
  const Graph graph = Graph::from_edges(3, {{0, 2}, {1, 2}, {2, 0}});
  const at::Tensor h = torch::tensor({{-1.f, 2.f}, {-3.f, 6.f}, {-5.f, 7.f}});
  // Negative maxima stay negative; node 1 hears nobody and gets zeros.
  const at::Tensor expected =
      torch::tensor({{-5.f, 7.f}, {0.f, 0.f}, {-1.f, 6.f}});
  EXPECT_TRUE(torch::equal(max_aggregate(graph, h), expected));
}

TEST(MaxAggregate, AmongEqualsTheSmallestIdReceivesTheGradient) {
  const Graph graph = Graph::from_edges(4, {{2, 0}, {1, 0}, {3, 0}});
  const at::Tensor h = torch::tensor({{9.f}, {4.f}, {4.f}, {1.f}});
  const Tensors results = forward_and_backward(max_on(graph), {h});
  const at::Tensor gradient = results[1].view(-1);
  EXPECT_NE(gradient[1].item<float>(), 0);
  EXPECT_EQ(gradient[0].item<float>(), 0);
  EXPECT_EQ(gradient[2].item<float>(), 0);
  EXPECT_EQ(gradient[3].item<float>(), 0);
}

TEST(MaxAggregate, MatchesTheReferenceOnEverySmallGraph) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      const at::Tensor h = random_tensor({graph.num_nodes(), 5}, dtype, 3);
      expect_matches(max_on(graph), max_reference_on(graph), {h});
      // Whole numbers make ties frequent.
      expect_matches(max_on(graph), max_reference_on(graph), {(h * 3).round()});
    }
  }
}

TEST(MaxAggregate, EveryWidthAndInstructionSetMatchesTheReference) {
  const Graph graph = random_graph(40, 300, 23);
  for_every_simd_level([&] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches(max_on(graph), max_reference_on(graph),
                       {random_tensor({40, width}, dtype, 4)});
      }
    }
  });
}

TEST(MaxAggregate, ANanNeighbourReachesTheOutputWhateverItsPlace) {
  const Graph graph = star(4);
  for (const int64_t place : {1, 2, 3}) {
    at::Tensor h = random_tensor({4, 2}, at::kFloat, 12);
    h[place][1] = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor out = max_aggregate(graph, h);
    EXPECT_TRUE(out[0][1].isnan().item<bool>()) << "neighbour " << place;
    EXPECT_FALSE(out[0][0].isnan().item<bool>()) << "neighbour " << place;
  }
}

TEST(MaxAggregate, GradientsAgreeWithCentralDifferences) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(gradients_match(
        max_on(graph),
        {{"h", random_tensor({graph.num_nodes(), 3}, at::kDouble, 5)}}));
  }
}

TEST(MaxAggregate, OutputRequiresGradOnlyWhenTheInputDoes) {
  expect_gradients_flow(max_on(chain(3)),
                        {random_tensor({3, 2}, at::kFloat, 1)});
}

TEST(MaxAggregate, AcceptsInputsWithGaps) {
  const Graph graph = random_graph(20, 80, 8);
  expect_accepts_strided(max_on(graph),
                         {random_tensor({20, 7}, at::kFloat, 6)});
}

TEST(MaxAggregate, EmptyGraphsAndWidthsGiveEmptyResults) {
  expect_matches(max_on(Graph()), max_reference_on(Graph()),
                 {torch::empty({0, 4})});
  expect_matches(max_on(chain(3)), max_reference_on(chain(3)),
                 {torch::empty({3, 0})});
  EXPECT_TRUE(torch::equal(max_aggregate(no_edges(3), torch::ones({3, 4})),
                           torch::zeros({3, 4})));
}

TEST(MaxAggregate, IsTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(max_on(large_graph()),
                                   {random_tensor({3000, 21}, at::kFloat, 7)});
}

TEST(MaxAggregate, TheRegisteredOpTakesWideColumns) {
  EXPECT_TRUE(is_registered("max_aggregate"));
  EXPECT_TRUE(is_registered("max_aggregate_backward"));
  const Graph graph = random_graph(20, 80, 9);
  const TensorFunction wide = [&](const Tensors& in) {
    return Tensors{std::get<0>(detail::max_aggregate(
        graph.in().rowptr, graph.in().col.to(at::kLong), graph.out().rowptr,
        graph.out().col.to(at::kLong), in[0]))};
  };
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    expect_matches(wide, max_reference_on(graph),
                   {random_tensor({20, 5}, dtype, 2)});
  }
}

TEST(MaxAggregate, RefusesWrongShapesAndTypes) {
  const Graph graph = chain(3);
  expect_error(
      [&] {
        max_aggregate(graph, torch::ones({4, 2}));
      },
      "max_aggregate: h must be [3, D] to match the graph, got [4, 2]");
  expect_error(
      [&] {
        max_aggregate(graph, torch::ones({3, 2}, at::kLong));
      },
      "max_aggregate: h must be float32 or float64, got Long");
}

}  // namespace
}  // namespace ordered_gnn
