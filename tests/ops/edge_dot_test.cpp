#include "ordered_gnn/ops/edge_dot.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

TensorFunction dot_on(const Graph& graph) {
  return [graph](const Tensors& in) {
    return Tensors{edge_dot(graph, in[0], in[1])};
  };
}

TensorFunction reference_dot_on(const Graph& graph) {
  return [graph](const Tensors& in) {
    return Tensors{reference::edge_dot(graph, in[0], in[1])};
  };
}

Tensors random_ends(const Graph& graph, int64_t width, at::ScalarType dtype) {
  return {random_tensor({graph.num_nodes(), width}, dtype, 51),
          random_tensor({graph.num_nodes(), width}, dtype, 52)};
}

TEST(EdgeDot, MultipliesTheEndsAsWorkedByHand) {
  // In-lists: node 0 hears 2; node 2 hears 0 and 1.
  const Graph graph = Graph::from_edges(3, {{1, 2}, {0, 2}, {2, 0}});
  const at::Tensor a = torch::tensor({{1.f, 2.f}, {9.f, 9.f}, {3.f, -1.f}});
  const at::Tensor b = torch::tensor({{1.f, 1.f}, {0.f, 2.f}, {5.f, 10.f}});
  EXPECT_TRUE(
      torch::equal(edge_dot(graph, a, b), torch::tensor({25.f, 2.f, -2.f})));
}

TEST(EdgeDot, MatchesTheReferenceOnEverySmallGraph) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      expect_matches(dot_on(graph), reference_dot_on(graph),
                     random_ends(graph, 5, dtype));
    }
  }
}

TEST(EdgeDot, EveryWidthAndInstructionSetMatchesTheReference) {
  const Graph graph = random_graph(60, 500, 24);
  for_every_simd_level([&] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      expect_matches(dot_on(graph), reference_dot_on(graph),
                     random_ends(graph, width, at::kFloat));
    }
  });
}

TEST(EdgeDot, GradientsAgreeWithCentralDifferences) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    const Tensors inputs = random_ends(graph, 3, at::kDouble);
    EXPECT_TRUE(
        gradients_match(dot_on(graph), {{"a", inputs[0]}, {"b", inputs[1]}}));
  }
}

TEST(EdgeDot, KeepsTheHabitsOfEveryOp) {
  EXPECT_TRUE(is_registered("edge_dot"));
  const Graph graph = random_graph(20, 80, 8);
  const Tensors inputs = random_ends(graph, 7, at::kFloat);
  expect_gradients_flow(dot_on(graph), inputs);
  expect_accepts_strided(dot_on(graph), inputs);
  expect_runs_in_inference_mode(dot_on(graph), inputs);
  const Graph large = large_graph();
  expect_same_bits_for_any_threads(dot_on(large),
                                   random_ends(large, 37, at::kFloat));
}

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
