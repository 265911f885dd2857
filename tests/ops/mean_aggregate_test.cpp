#include "ordered_gnn/ops/mean_aggregate.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/detail/dispatch.h"
#include "ops/op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

TensorFunction mean_on(const Graph& graph) {
  return [graph](const Tensors& in) {
    return Tensors{mean_aggregate(graph, in[0])};
  };
}

TensorFunction mean_reference_on(const Graph& graph) {
  return [graph](const Tensors& in) {
    return Tensors{reference::mean_aggregate(graph, in[0])};
  };
}

at::Tensor mean_of_lists(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& t_rowptr, const at::Tensor& t_col,
                         const at::Tensor& h) {
  return detail::find_op<decltype(mean_of_lists)>("ordered_gnn::mean_aggregate")
      .call(rowptr, col, t_rowptr, t_col, h);
}

TEST(MeanAggregate, AveragesTheInNeighboursAsWorkedByHand) {
  // 0 -> 2, 1 -> 2, 2 -> 0; node 1 hears nobody.
  const Graph graph = Graph::from_edges(3, {{0, 2}, {1, 2}, {2, 0}});
  const at::Tensor h = torch::tensor({{1.f, 2.f}, {3.f, 6.f}, {5.f, 7.f}});
  const at::Tensor expected =
      torch::tensor({{5.f, 7.f}, {0.f, 0.f}, {2.f, 4.f}});
  EXPECT_TRUE(torch::equal(mean_aggregate(graph, h), expected));
}

TEST(MeanAggregate, MatchesTheReferenceOnEverySmallGraph) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      expect_matches(mean_on(graph), mean_reference_on(graph),
                     {random_tensor({graph.num_nodes(), 5}, dtype, 3)});
    }
  }
}

TEST(MeanAggregate, EveryWidthAndInstructionSetMatchesTheReference) {
  const Graph graph = random_graph(60, 500, 21);
  for_every_simd_level([&] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches(mean_on(graph), mean_reference_on(graph),
                       {random_tensor({60, width}, dtype, 4)});
      }
    }
  });
}

TEST(MeanAggregate, GradientsAgreeWithCentralDifferences) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(gradients_match(
        mean_on(graph),
        {{"h", random_tensor({graph.num_nodes(), 3}, at::kDouble, 5)}}));
  }
}

TEST(MeanAggregate, OutputRequiresGradOnlyWhenTheInputDoes) {
  expect_gradients_flow(mean_on(chain(3)),
                        {random_tensor({3, 2}, at::kFloat, 1)});
}

TEST(MeanAggregate, AcceptsInputsWithGaps) {
  const Graph graph = random_graph(20, 80, 8);
  expect_accepts_strided(mean_on(graph),
                         {random_tensor({20, 7}, at::kFloat, 6)});
}

TEST(MeanAggregate, EmptyGraphsAndWidthsGiveEmptyResults) {
  expect_matches(mean_on(Graph()), mean_reference_on(Graph()),
                 {torch::empty({0, 4})});
  expect_matches(mean_on(chain(3)), mean_reference_on(chain(3)),
                 {torch::empty({3, 0})});
  const at::Tensor silent = mean_aggregate(no_edges(3), torch::ones({3, 4}));
  EXPECT_TRUE(torch::equal(silent, torch::zeros({3, 4})));
}

TEST(MeanAggregate, IsTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(mean_on(large_graph()),
                                   {random_tensor({3000, 37}, at::kFloat, 7)});
}

TEST(MeanAggregate, TheRegisteredOpTakesListsWithWideColumns) {
  EXPECT_TRUE(is_registered("mean_aggregate"));
  const Graph graph = random_graph(20, 80, 9);
  const at::Tensor in_col = graph.in().col.to(at::kLong);
  const at::Tensor out_col = graph.out().col.to(at::kLong);
  const TensorFunction wide = [&](const Tensors& in) {
    return Tensors{mean_of_lists(graph.in().rowptr, in_col, graph.out().rowptr,
                                 out_col, in[0])};
  };
  expect_matches(wide, mean_reference_on(graph),
                 {random_tensor({20, 5}, at::kDouble, 2)});
}

TEST(MeanAggregate, RefusesRowsThatDoNotMatchTheGraph) {
  const Graph graph = chain(3);
  expect_error(
      [&] {
        mean_aggregate(graph, torch::ones({4, 2}));
      },
      "h must be [3, D] to match the graph, got [4, 2]");
  expect_error([&] { mean_aggregate(graph, torch::ones({3})); },
               "h must be [3, D] to match the graph, got [3]");
  expect_error(
      [&] {
        mean_aggregate(graph, torch::ones({3, 2}, at::kHalf));
      },
      "h must be float32 or float64, got Half");
}

TEST(MeanAggregate, RefusesListsThatAreNoAdjacency) {
  const Graph graph = chain(3);
  const Adjacency& in = graph.in();
  const Adjacency& out = graph.out();
  const at::Tensor h = torch::ones({3, 2});
  expect_error(
      [&] {
        mean_of_lists(in.rowptr.to(at::kInt), in.col, out.rowptr, out.col, h);
      },
      "rowptr must be [N + 1] int64");
  expect_error(
      [&] {
        mean_of_lists(in.rowptr, in.col.to(at::kFloat), out.rowptr, out.col, h);
      },
      "col must be [E] int32 or int64");
}

}  // namespace
}  // namespace ordered_gnn
