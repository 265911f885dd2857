#include "ordered_gnn/nn/ordered_gnn.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <set>

#include "nn/small_network.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "support/graphs.h"

namespace ordered_gnn::nn {
namespace {

TEST(OrderedGnn, ParameterNamesAreThoseOfTheCheckpointFormat) {
  OrderedGnnOptions options = small_options();
  options.layers = 2;
  const OrderedGnn model({kFeatures, kClasses}, options, 1);
  std::set<std::string> names;
  for (const auto& item : model.named_parameters()) names.insert(item.key());
  EXPECT_EQ(
      names,
      (std::set<std::string>{
          "input.0.weight", "input.0.bias", "input.1.weight", "input.1.bias",
          "input_norm.0.weight", "input_norm.0.bias", "input_norm.1.weight",
          "input_norm.1.bias", "layers.0.gate.weight", "layers.0.gate.bias",
          "layers.0.norm.weight", "layers.0.norm.bias", "layers.1.gate.weight",
          "layers.1.gate.bias", "layers.1.norm.weight", "layers.1.norm.bias",
          "output.weight", "output.bias"}));
}

TEST(OrderedGnn, ATiedGateIsOneParameter) {
  OrderedGnnOptions options = small_options();
  options.tied_gates = true;
  const OrderedGnn model({kFeatures, kClasses}, options, 1);
  int gates = 0;
  for (const auto& item : model.named_parameters()) {
    gates += item.key().find("gate.weight") != std::string::npos;
  }
  EXPECT_EQ(gates, 1);
  EXPECT_TRUE(model.named_parameters().contains("gate.weight"));
}

TEST(OrderedGnn, GatesFallAlongTheEmbeddingAndNeverCloseAgain) {
  OrderedGnn model({kFeatures, kClasses}, small_options(), 3);
  ForwardTrace trace;
  const torch::NoGradGuard no_grad;
  model.forward(random_graph(kNodes, 90, 3),
                small_features(NodeFeatures::Kind::dense), {}, &trace);
  for (size_t k = 0; k < trace.gates.size(); ++k) {
    const at::Tensor& gate = trace.gates[k];
    EXPECT_LE(gate.diff(1, 1).max().item<float>(), 1e-6f);
    EXPECT_NEAR(gate.select(1, 0).min().item<float>(), 1.f, 1e-5f);
    if (k > 0) {
      EXPECT_GE((gate - trace.gates[k - 1]).min().item<float>(), -1e-6f);
    }
  }
}

TEST(OrderedGnn, TheSeedFixesInitialisationWhateverTheFeatureKind) {
  const OrderedGnn a({kFeatures, kClasses}, small_options(), 11);
  const OrderedGnn b({kFeatures, kClasses, NodeFeatures::Kind::sparse},
                     small_options(), 11);
  const OrderedGnn c({kFeatures, kClasses}, small_options(), 12);
  EXPECT_TRUE(torch::equal(a.named_parameters()["input.0.weight"],
                           b.named_parameters()["input.0.weight"]));
  EXPECT_FALSE(torch::equal(a.named_parameters()["input.0.weight"],
                            c.named_parameters()["input.0.weight"]));
}

TEST(OrderedGnn, WorksOnEverySmallGraph) {
  for (const NamedGraph& item : small_graphs()) {
    const int64_t nodes = item.graph.num_nodes();
    OrderedGnn model({3, 2}, small_options(), 1);
    const at::Tensor logits =
        model.forward(item.graph, NodeFeatures::dense(torch::ones({nodes, 3})),
                      {/*training=*/true, 1, 1});
    EXPECT_EQ(logits.sizes(), at::IntArrayRef({nodes, 2})) << item.name;
    EXPECT_TRUE(logits.isfinite().all().item<bool>()) << item.name;
    logits.sum().backward();
  }
}

TEST(OrderedGnn, PermutingTheNodesPermutesTheOutput) {
  const torch::NoGradGuard no_grad;
  RandomStream random(8);
  const at::Tensor order = random_permutation(kNodes, random);
  const at::Tensor edges = torch::randint(0, kNodes, {2, 80}, at::kLong);
  const NodeFeatures features = small_features(NodeFeatures::Kind::dense);
  OrderedGnn model({kFeatures, kClasses}, small_options(), 2);
  const at::Tensor plain =
      model.forward(Graph::from_edges(kNodes, edges), features, {});
  const at::Tensor position = std::get<1>(order.sort());
  const Graph moved = Graph::from_edges(
      kNodes, position.index_select(0, edges.flatten()).view({2, -1}));
  const at::Tensor permuted = model.forward(
      moved,
      NodeFeatures::dense(features.dense_values().index_select(0, order)), {});
  EXPECT_TRUE(
      torch::allclose(permuted, plain.index_select(0, order), 1e-4, 1e-5));
}

}  // namespace
}  // namespace ordered_gnn::nn
