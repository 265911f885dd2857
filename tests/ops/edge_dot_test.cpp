#include "ordered_gnn/ops/edge_dot.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/graph_op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

const GraphFunction dot_on = on_graphs(edge_dot);
const GraphFunction reference_dot_on = on_graphs(reference::edge_dot);

Tensors random_ends(const Graph& graph, int64_t width, at::ScalarType dtype) {
  return {random_tensor({graph.num_nodes(), width}, dtype, 51),
          random_tensor({graph.num_nodes(), width}, dtype, 52)};
}

const GraphOp kDot = {dot_on, reference_dot_on, random_ends, {"a", "b"}};

TEST(EdgeDot, MultipliesTheEndsAsWorkedByHand) {
  // In-lists: node 0 hears 2; node 2 hears 0 and 1.
  const Graph graph = Graph::from_edges(3, {{1, 2}, {0, 2}, {2, 0}});
  const at::Tensor a = torch::tensor({{1.f, 2.f}, {9.f, 9.f}, {3.f, -1.f}});
  const at::Tensor b = torch::tensor({{1.f, 1.f}, {0.f, 2.f}, {5.f, 10.f}});
  EXPECT_TRUE(
      torch::equal(edge_dot(graph, a, b), torch::tensor({25.f, 2.f, -2.f})));
}

INSTANTIATE_TEST_SUITE_P(EdgeDot, OpOverRows,
                         testing::Values(RowsOp{kDot,
                                                random_graph(60, 500, 24)}));

TEST(EdgeDot, IsRegistered) { EXPECT_TRUE(is_registered("edge_dot")); }

TEST(EdgeDot, RefusesWrongShapesAndTypes) {
  const Graph graph = chain(3);
  const at::Tensor h = torch::ones({3, 2});
  expect_error(
      [&] {
        edge_dot(graph, torch::ones({3, 4}), h);
      },
      "a must be [3, 2]");
  expect_error(
      [&] {
        edge_dot(graph, h, torch::ones({4, 2}));
      },
      "h must be [3, D]");
  expect_error([&] { edge_dot(graph, h.to(at::kDouble), h); }, "convert one");
}

TEST(EdgeDot, HeadsMultiplyTheirOwnColumns) {
  const Graph graph = random_graph(60, 500, 24);
  for_every_simd_level([&] {
    for (const int64_t heads : {1, 2, 5}) {
      for (const int64_t width : {1, 3, 8, 20}) {
        SCOPED_TRACE(testing::Message() << heads << " heads of " << width);
        expect_matches(
            [&](const Tensors& in) {
              return Tensors{edge_dot(graph, in[0], in[1], heads)};
            },
            [&](const Tensors& in) {
              return Tensors{reference::edge_dot(graph, in[0], in[1], heads)};
            },
            random_ends(graph, heads * width, at::kFloat));
      }
    }
  });
  expect_error(
      [&] {
        edge_dot(graph, torch::ones({60, 5}), torch::ones({60, 5}), 2);
      },
      "a width of 5 is not divisible by 2 heads");
}

}  // namespace
}  // namespace ordered_gnn
