#include "ordered_gnn/ops/max_aggregate.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>

#include "ops/detail/max_aggregate.h"
#include "ops/graph_op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

const GraphFunction max_on = on_graphs(max_aggregate);
const GraphFunction max_reference_on = on_graphs(reference::max_aggregate);

const GraphOp kMax = {max_on, max_reference_on, random_rows, {"h"}};

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

INSTANTIATE_TEST_SUITE_P(MaxAggregate, OpOverRows,
                         testing::Values(RowsOp{kMax,
                                                random_graph(40, 300, 23)}));

TEST(MaxAggregate, MatchesTheReferenceWhereManyAreEqual) {
  GraphOp with_ties = kMax;
  with_ties.inputs = [](const Graph& graph, int64_t width,
                        at::ScalarType dtype) {
    return Tensors{(random_rows(graph, width, dtype)[0] * 3).round()};
  };
  expect_matches_on_small_graphs(with_ties);
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

TEST(MaxAggregate, IsZeroWithoutNeighbours) {
  EXPECT_TRUE(torch::equal(max_aggregate(no_edges(3), torch::ones({3, 4})),
                           torch::zeros({3, 4})));
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
