#include "ops/graph_op_checks.h"

#include <gtest/gtest.h>

#include "support/graphs.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

void expect_matches_on(const GraphOp& tested, const Graph& graph, int64_t width,
                       at::ScalarType dtype) {
  expect_matches(tested.op(graph), tested.reference(graph),
                 tested.inputs(graph, width, dtype));
}

}  // namespace

GraphFunction on_graphs(at::Tensor (*f)(const Graph&, const at::Tensor&)) {
  return [f](const Graph& graph) {
    return [f, graph](const Tensors& in) { return Tensors{f(graph, in[0])}; };
  };
}

GraphFunction on_graphs(at::Tensor (*f)(const Graph&, const at::Tensor&,
                                        const at::Tensor&)) {
  return [f](const Graph& graph) {
    return [f, graph](const Tensors& in) {
      return Tensors{f(graph, in[0], in[1])};
    };
  };
}

Tensors random_rows(const Graph& graph, int64_t width, at::ScalarType dtype) {
  return {random_tensor({graph.num_nodes(), width}, dtype, 3)};
}

void expect_matches_on_small_graphs(const GraphOp& tested) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      expect_matches_on(tested, graph, 5, dtype);
    }
  }
}

void expect_gradients_on_small_graphs(const GraphOp& tested) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    const Tensors inputs = tested.inputs(graph, 3, at::kDouble);
    ASSERT_EQ(inputs.size(), tested.names.size());
    std::vector<NamedTensor> named;
    for (size_t i = 0; i < inputs.size(); ++i) {
      named.push_back({tested.names[i], inputs[i]});
    }
    EXPECT_TRUE(gradients_match(tested.op(graph), named));
  }
}

TEST_P(OpOverRows, MatchesTheReferenceOnEverySmallGraph) {
  expect_matches_on_small_graphs(GetParam().op);
}

TEST_P(OpOverRows, EveryWidthAndInstructionSetMatchesTheReference) {
  for_every_simd_level([] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches_on(GetParam().op, GetParam().graph, width, dtype);
      }
    }
  });
}

TEST_P(OpOverRows, GradientsAgreeWithCentralDifferences) {
  expect_gradients_on_small_graphs(GetParam().op);
}

TEST_P(OpOverRows, LetsGradientsFlowAndTakesInputsWithGapsOrEmpty) {
  const GraphOp& tested = GetParam().op;
  expect_gradients_flow(tested.op(chain(3)),
                        tested.inputs(chain(3), 2, at::kFloat));
  const Graph graph = random_graph(20, 80, 8);
  const Tensors inputs = tested.inputs(graph, 7, at::kFloat);
  expect_accepts_strided(tested.op(graph), inputs);
  expect_runs_in_inference_mode(tested.op(graph), inputs);
  for (const Graph& without_edges : {Graph(), no_edges(3)}) {
    expect_matches_on(tested, without_edges, 4, at::kFloat);
  }
  expect_matches_on(tested, chain(3), 0, at::kFloat);
}

TEST_P(OpOverRows, IsTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = large_graph();
  const GraphOp& tested = GetParam().op;
  expect_same_bits_for_any_threads(tested.op(graph),
                                   tested.inputs(graph, 37, at::kFloat));
}

}  // namespace ordered_gnn
