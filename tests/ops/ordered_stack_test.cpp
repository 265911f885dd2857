#include "ops/ordered_stack.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "ops/op_checks.h"
#include "ops/ordered_rows.h"
#include "support/graphs.h"
#include "support/ordered_layers.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

constexpr Gating kStackGatings[] = {Gating::ordered, Gating::softor};

TensorFunction stacked(const Graph& graph, const LayersCase& run,
                       bool recompute) {
  return [=](const Tensors& in) {
    return stack_of_layers(graph, run, recompute, in);
  };
}

TensorFunction one_by_one(const Graph& graph, const LayersCase& run) {
  return [=](const Tensors& in) { return single_layers(graph, run, in); };
}

// Long enough for runs of dropped states, and for none.
TEST(OrderedStack, IsItsLayersOneAfterTheOther) {
  const Graph graph = random_graph(60, 240, 3);
  for (const Gating gating : kStackGatings) {
    for (const size_t layers : {1, 2, 3, 4, 8}) {
      const LayersCase run{gating, layers, /*dropout=*/0.2};
      const Tensors inputs = layers_inputs(run, 60, 4, 16, at::kFloat);
      const Tensors expected =
          forward_and_backward(one_by_one(graph, run), inputs);
      for (const bool recompute : {false, true}) {
        SCOPED_TRACE(to_string(gating) + " layers " + std::to_string(layers) +
                     " recompute " + std::to_string(recompute));
        const Tensors got =
            forward_and_backward(stacked(graph, run, recompute), inputs);
        ASSERT_EQ(got.size(), expected.size());
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_TRUE(torch::equal(got[i], expected[i])) << "result " << i;
        }
      }
    }
  }
}

TEST(OrderedStack, OnEveryGraph) {
  for (const NamedGraph& item : small_graphs()) {
    SCOPED_TRACE(item.name);
    const LayersCase run{Gating::softor, 5, /*dropout=*/0};
    expect_matches(
        stacked(item.graph, run, /*recompute=*/true),
        one_by_one(item.graph, run),
        layers_inputs(run, item.graph.num_nodes(), 3, 6, at::kFloat));
  }
}

TEST(OrderedStack, HasTheGradientsOfDifferences) {
  const Graph graph = random_graph(7, 20, 4);
  const LayersCase run{Gating::softor, 5, /*dropout=*/0.2};
  std::vector<NamedTensor> inputs;
  for (const at::Tensor& input : layers_inputs(run, 7, 2, 4, at::kDouble)) {
    inputs.push_back({"input " + std::to_string(inputs.size()), input});
  }
  EXPECT_TRUE(gradients_match(stacked(graph, run, /*recompute=*/true), inputs));
}

TEST(OrderedStack, KeepsNothingWithoutAGradientToCome) {
  const Graph graph = random_graph(30, 90, 5);
  const LayersCase run{Gating::softor, 4, /*dropout=*/0.2};
  const Tensors inputs = layers_inputs(run, 30, 4, 8, at::kFloat);
  const Tensors expected = stacked(graph, run, true)(inputs);
  const torch::NoGradGuard no_grad;
  const Tensors got = stacked(graph, run, true)(inputs);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_FALSE(got[i].requires_grad());
    EXPECT_TRUE(torch::equal(got[i], expected[i]));
  }
}

TEST(OrderedStack, RunsBackwardOnce) {
  const Graph graph = random_graph(20, 60, 6);
  const LayersCase run{Gating::softor, 3, /*dropout=*/0};
  Tensors inputs = layers_inputs(run, 20, 2, 4, at::kFloat);
  inputs[0].requires_grad_();
  const at::Tensor sum = stacked(graph, run, true)(inputs)[0].sum();
  sum.backward({}, /*retain_graph=*/true);
  expect_error([&] { sum.backward({}, /*retain_graph=*/true); },
               "backward runs once");
}

TEST(OrderedStack, OfNoLayersIsAnError) {
  expect_error(
      [] {
        ops::ordered_stack(chain(3), {torch::zeros({3, 4})}, {}, {});
      },
      "at least one layer");
}

TEST(OrderedRows, AreThoseOfTheWholeLayer) {
  const Graph graph = random_graph(50, 200, 7);
  const at::Tensor nodes = torch::tensor({40, 3, 11, 25}, at::kLong);
  const ReceiverLists lists = receiver_lists(graph, nodes);
  const LayersCase run{Gating::softor, 1, /*dropout=*/0.3};
  expect_matches(
      [&](const Tensors& in) { return rows_of_layer(graph, lists, run, in); },
      [&](const Tensors& in) {
        return Tensors{single_layers(graph, run, in)[0].index_select(0, nodes)};
      },
      layers_inputs(run, 50, 4, 16, at::kFloat));
}

}  // namespace
}  // namespace ordered_gnn
