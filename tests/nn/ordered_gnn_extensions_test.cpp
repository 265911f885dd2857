// What goes beyond the paper: a transform, directions apart, node ids, a first
// state of neighbours.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "nn/small_network.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/graphs.h"

namespace ordered_gnn::nn {
namespace {

TEST(OrderedGnn, SplitDirectionsHaveTheParametersOfJointOnes) {
  OrderedGnnOptions options = small_options();
  options.transform = Transform::linear;
  const OrderedGnn joint({kFeatures, kClasses}, options, 1);
  options.directions = Directions::split;
  const OrderedGnn split({kFeatures, kClasses}, options, 1);
  EXPECT_TRUE(split.needs_whole_graph());
  ASSERT_EQ(joint.named_parameters().size(), split.named_parameters().size());
  for (const auto& item : joint.named_parameters()) {
    EXPECT_TRUE(
        torch::equal(item.value(), split.named_parameters()[item.key()]));
  }
}

// 0 -> 1: turned around, the halves of the messages change places.
TEST(OrderedGnn, HalvesOfTheNeuronsHearOneDirectionEach) {
  const torch::NoGradGuard no_grad;
  OrderedGnnOptions options = small_options();
  options.gating = Gating::none;
  options.norm = Norm::none;
  options.layers = 1;
  options.directions = Directions::split;
  OrderedGnn model({kFeatures, kClasses}, options, 1);
  const NodeFeatures features = NodeFeatures::dense(
      torch::arange(2 * kFeatures, at::kFloat).view({2, kFeatures}));
  ForwardTrace trace;
  std::vector<at::Tensor> states;
  trace.on_layer = [&](const LayerTrace& layer) {
    states.push_back(layer.state);
    EXPECT_EQ(layer.orders, layer.layer == 0 ? 1 : 2);
  };
  model.forward(Graph::from_edges(2, {{0, 1}}), features, {}, &trace);
  const int64_t half = options.hidden / 2;
  const at::Tensor &before = states[0], &after = states[1];
  EXPECT_TRUE(
      torch::equal(after[1].slice(0, 0, half), before[0].slice(0, 0, half)));
  EXPECT_TRUE(torch::equal(after[0].slice(0, half), before[1].slice(0, half)));
  EXPECT_EQ(after[0].slice(0, 0, half).count_nonzero().item<int64_t>(), 0);
  EXPECT_EQ(after[1].slice(0, half).count_nonzero().item<int64_t>(), 0);
}

TEST(OrderedGnn, SplitGatesFallAlongEachHalfAndNeverCloseAgain) {
  OrderedGnnOptions options = small_options();
  options.directions = Directions::split;
  OrderedGnn model({kFeatures, kClasses}, options, 3);
  ForwardTrace trace;
  const torch::NoGradGuard no_grad;
  model.forward(random_graph(kNodes, 90, 3),
                small_features(NodeFeatures::Kind::dense), {}, &trace);
  for (size_t k = 0; k < trace.gates.size(); ++k) {
    for (const at::Tensor& half : trace.gates[k].chunk(2, 1)) {
      EXPECT_LE(half.diff(1, 1).max().item<float>(), 1e-6f);
      EXPECT_NEAR(half.select(1, 0).min().item<float>(), 1.f, 1e-5f);
    }
    if (k > 0) {
      EXPECT_GE((trace.gates[k] - trace.gates[k - 1]).min().item<float>(),
                -1e-6f);
    }
  }
}

TEST(OrderedGnn, NodeIdsAreRowsOfTheirOwnAndChangeNothingElse) {
  OrderedGnnOptions options = small_options();
  const OrderedGnn plain({kFeatures, kClasses}, options, 1);
  options.node_ids = NodeIds::id;
  const OrderedGnn model(
      {kFeatures, kClasses, NodeFeatures::Kind::dense, kNodes}, options, 1);
  const auto parameters = model.named_parameters();
  EXPECT_EQ(parameters["node_ids.weight"].sizes(),
            at::IntArrayRef({kNodes, options.hidden}));
  EXPECT_EQ(parameters["node_ids.bias"].numel(), options.hidden);
  EXPECT_EQ(parameters["node_ids_norm.weight"].numel(), options.hidden);
  for (const auto& item : plain.named_parameters()) {
    EXPECT_TRUE(torch::equal(item.value(), parameters[item.key()]))
        << item.key();
  }
  EXPECT_EQ(NodeModel::role_of("node_ids.weight"), ParameterRole::theta);
  EXPECT_EQ(NodeModel::role_of("node_ids_norm.bias"),
            ParameterRole::input_norm);
}

TEST(OrderedGnn, WithNodeIdsReadsItsOwnGraphAsAWhole) {
  OrderedGnnOptions options = small_options();
  for (const NodeIds ids : {NodeIds::none, NodeIds::id, NodeIds::adjacency}) {
    options.node_ids = ids;
    OrderedGnn model({kFeatures, kClasses, NodeFeatures::Kind::dense, kNodes},
                     options, 1);
    EXPECT_EQ(model.needs_whole_graph(), ids != NodeIds::none);
    if (ids == NodeIds::none) continue;
    EXPECT_THROW(model.first_state(small_features(NodeFeatures::Kind::dense)),
                 c10::Error);
    EXPECT_THROW(
        model.forward(Graph::from_edges(2, {{0, 1}}),
                      NodeFeatures::dense(torch::ones({2, kFeatures})), {}),
        c10::Error);
  }
}

TEST(OrderedGnn, NodesWithTheSameFeaturesDifferByTheirIds) {
  const torch::NoGradGuard no_grad;
  OrderedGnnOptions options = small_options();
  // 0 hears 1, 2 hears 3: without ids the two are the same.
  const Graph graph = Graph::from_edges(4, {{1, 0}, {3, 2}});
  const NodeFeatures features =
      NodeFeatures::dense(torch::ones({4, kFeatures}));
  for (const NodeIds ids : {NodeIds::none, NodeIds::id, NodeIds::adjacency}) {
    options.node_ids = ids;
    OrderedGnn model({kFeatures, kClasses, NodeFeatures::Kind::dense, 4},
                     options, 1);
    const at::Tensor logits = model.forward(graph, features, {});
    EXPECT_EQ(torch::equal(logits[0], logits[2]), ids == NodeIds::none);
    // Nobody sends to 1 and 3: rows of neighbours do not tell them apart.
    EXPECT_EQ(torch::equal(logits[1], logits[3]), ids != NodeIds::id);
  }
}

// 1 -> 0, 2 -> 1.
TEST(OrderedGnn, AHeardFirstStateTellsOfTheNeighboursAlone) {
  const torch::NoGradGuard no_grad;
  OrderedGnnOptions options = small_options();
  const OrderedGnn own({kFeatures, kClasses}, options, 1);
  options.first_state = FirstState::heard;
  OrderedGnn model({kFeatures, kClasses}, options, 1);
  EXPECT_TRUE(model.needs_whole_graph());
  EXPECT_FALSE(model.hears_both_ways());
  for (const auto& item : own.named_parameters()) {
    EXPECT_TRUE(
        torch::equal(item.value(), model.named_parameters()[item.key()]));
  }
  const at::Tensor x = torch::rand({3, kFeatures});
  const auto first = [&](const at::Tensor& rows) {
    at::Tensor state;
    ForwardTrace trace;
    trace.on_layer = [&](const LayerTrace& layer) {
      if (layer.layer == 1) state = layer.state.clone();
    };
    model.forward(Graph::from_edges(3, {{1, 0}, {2, 1}}),
                  NodeFeatures::dense(rows), {}, &trace);
    return state;
  };
  const at::Tensor before = first(x);
  at::Tensor changed = x.clone();
  changed[1] += 1;
  const at::Tensor after = first(changed);
  EXPECT_FALSE(torch::equal(before[0], after[0]));
  EXPECT_TRUE(torch::equal(before[1], after[1]));
  EXPECT_TRUE(torch::equal(before[2], after[2]));
  EXPECT_THROW(model.first_state(NodeFeatures::dense(x)), c10::Error);
}

TEST(OrderedGnn, ATransformHasParametersOfItsOwn) {
  OrderedGnnOptions options = small_options();
  options.layers = 1;
  options.transform = Transform::linear;
  const OrderedGnn model({kFeatures, kClasses}, options, 1);
  const auto parameters = model.named_parameters();
  EXPECT_EQ(parameters["layers.0.candidate.weight"].sizes(),
            at::IntArrayRef({options.hidden, 2 * options.hidden}));
  EXPECT_EQ(parameters["layers.0.candidate.bias"].numel(), options.hidden);
  EXPECT_EQ(parameters["layers.0.candidate_norm.weight"].numel(),
            options.hidden);
}

TEST(OrderedGnn, NeuronsThatTheGateKeepsAreNotTransformed) {
  OrderedGnnOptions options = small_options();
  options.layers = 1;
  options.norm = Norm::none;
  options.transform = Transform::linear;
  OrderedGnn model({kFeatures, kClasses}, options, 1);
  const torch::NoGradGuard no_grad;
  // All of the softmax on the last gate: every gate is open for the node.
  at::Tensor bias = model.named_parameters()["layers.0.gate.bias"];
  bias.zero_();
  bias[-1] = 1e6;
  const NodeFeatures features = small_features(NodeFeatures::Kind::dense);
  ForwardTrace trace;
  model.forward(random_graph(kNodes, 90, 3), features, {}, &trace);
  EXPECT_TRUE(torch::allclose(trace.embeddings, model.first_state(features).h,
                              /*rtol=*/0, /*atol=*/1e-6));
}

}  // namespace
}  // namespace ordered_gnn::nn
