#include "ordered_gnn/ops/mean_aggregate.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/detail/dispatch.h"
#include "ops/graph_op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

const GraphFunction mean_on = on_graphs(mean_aggregate);
const GraphFunction mean_reference_on = on_graphs(reference::mean_aggregate);

const GraphOp kMean = {mean_on, mean_reference_on, random_rows, {"h"}};

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

INSTANTIATE_TEST_SUITE_P(MeanAggregate, OpOverRows,
                         testing::Values(RowsOp{kMean,
                                                random_graph(60, 500, 21)}));

TEST(MeanAggregate, IsZeroWithoutNeighbours) {
  const at::Tensor silent = mean_aggregate(no_edges(3), torch::ones({3, 4}));
  EXPECT_TRUE(torch::equal(silent, torch::zeros({3, 4})));
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
