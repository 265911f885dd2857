#include "ordered_gnn/nn/ordered_gnn.h"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include <set>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "support/features.h"
#include "support/graphs.h"
#include "support/reference_model.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kNodes = 30;
constexpr int64_t kFeatures = 11;
constexpr int64_t kClasses = 4;

OrderedGnnOptions small_options() {
  OrderedGnnOptions options;
  options.layers = 3;
  options.hidden = 24;
  options.chunk = 4;
  options.mlp_layers = 2;
  options.dropout_theta = 0.3;
  options.dropout_xi = 0.2;
  return options;
}

NodeFeatures small_features(NodeFeatures::Kind kind) {
  if (kind == NodeFeatures::Kind::identity) {
    return NodeFeatures::identity(kNodes);
  }
  RandomStream random(5);
  at::Tensor values = torch::empty({kNodes, kFeatures});
  fill_uniform(values, 0, 1, random);
  values = torch::where(values > 0.6, values, torch::zeros_like(values));
  return kind == NodeFeatures::Kind::dense ? NodeFeatures::dense(values)
                                           : sparse_from(values);
}

struct Case {
  std::string name;
  OrderedGnnOptions options;
  NodeFeatures::Kind kind = NodeFeatures::Kind::dense;
};

// Every switch away from its default, alone.
std::vector<Case> all_switches() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, auto change) {
    Case item{std::move(name), small_options()};
    change(item.options);
    cases.push_back(item);
  };
  add("defaults", [](auto&) {});
  for (const Gating gating : {Gating::none, Gating::simple, Gating::ordered}) {
    add("gating_" + to_string(gating), [&](auto& o) { o.gating = gating; });
  }
  for (const Aggregator aggregator :
       {Aggregator::gcn, Aggregator::sum, Aggregator::max, Aggregator::gat,
        Aggregator::signed_}) {
    add("aggregator_" + to_string(aggregator),
        [&](auto& o) { o.aggregator = aggregator; });
  }
  add("tied_gates", [](auto& o) { o.tied_gates = true; });
  add("chunk_1", [](auto& o) { o.chunk = 1; });
  add("one_gate", [](auto& o) { o.chunk = o.hidden; });
  add("norm_batch", [](auto& o) { o.norm = Norm::batch; });
  add("norm_none", [](auto& o) { o.norm = Norm::none; });
  add("residual", [](auto& o) { o.residual = true; });
  for (const Gating gating :
       {Gating::none, Gating::simple, Gating::ordered, Gating::softor}) {
    add("transform_gating_" + to_string(gating), [&](auto& o) {
      o.transform = Transform::linear;
      o.gating = gating;
    });
  }
  for (const Norm norm : {Norm::batch, Norm::none}) {
    add("transform_candidate_norm_" + to_string(norm), [&](auto& o) {
      o.transform = Transform::linear;
      o.candidate_norm = norm;
      o.norm = Norm::none;
    });
  }
  for (const Gating gating :
       {Gating::none, Gating::simple, Gating::ordered, Gating::softor}) {
    add("split_gating_" + to_string(gating), [&](auto& o) {
      o.directions = Directions::split;
      o.gating = gating;
    });
  }
  for (const Aggregator aggregator :
       {Aggregator::mean, Aggregator::gcn, Aggregator::sum}) {
    add("split_transform_" + to_string(aggregator), [&](auto& o) {
      o.directions = Directions::split;
      o.transform = Transform::linear;
      o.aggregator = aggregator;
      o.node_ids = NodeIds::adjacency;
      o.tied_gates = true;
    });
  }
  for (const NodeIds ids : {NodeIds::id, NodeIds::adjacency}) {
    add("node_ids_" + to_string(ids), [&](auto& o) { o.node_ids = ids; });
    add("transform_node_ids_" + to_string(ids), [&](auto& o) {
      o.node_ids = ids;
      o.transform = Transform::linear;
    });
  }
  add("one_mlp_layer", [](auto& o) { o.mlp_layers = 1; });
  add("no_dropout", [](auto& o) { o.dropout_theta = o.dropout_xi = 0; });
  add("everything", [](auto& o) {
    o.aggregator = Aggregator::gat;
    o.tied_gates = o.residual = true;
    o.norm = o.candidate_norm = Norm::batch;
    o.transform = Transform::linear;
  });
  for (const auto kind :
       {NodeFeatures::Kind::sparse, NodeFeatures::Kind::identity}) {
    cases.push_back({kind == NodeFeatures::Kind::sparse ? "sparse_features"
                                                        : "identity_features",
                     small_options(), kind});
  }
  return cases;
}

class EverySwitch : public testing::TestWithParam<Case> {
 protected:
  EverySwitch()
      : features_(small_features(GetParam().kind)),
        shape_{features_.num_features(), kClasses, GetParam().kind, kNodes},
        model_(shape_, GetParam().options, /*seed=*/7),
        graph_(random_graph(kNodes, 90, 3)),
        labels_(torch::arange(kNodes, at::kLong).remainder(kClasses)) {
    model_.to(at::kDouble);
  }

  // Independent leaf copies, so that both sides have their own gradients.
  reference::Parameters copied_parameters() const {
    reference::Parameters out;
    for (const auto& item : model_.named_parameters()) {
      out[item.key()] = item.value().detach().clone().set_requires_grad(true);
    }
    for (const auto& item : model_.named_buffers()) {
      out[item.key()] = item.value().detach().clone();
    }
    return out;
  }

  NodeFeatures features_;
  ModelShape shape_;
  OrderedGnn model_;
  Graph graph_;
  at::Tensor labels_;
};

TEST_P(EverySwitch, MatchesThePlainCompositionInForwardLossAndGradients) {
  reference::Parameters copies = copied_parameters();
  const ForwardContext context{/*training=*/true, /*seed=*/9, /*step=*/4};
  const at::Tensor logits = model_.forward(graph_, features_, context);
  const at::Tensor wanted = reference::ordered_gnn_logits(
      GetParam().options, copies, graph_, features_, context);
  ASSERT_TRUE(torch::allclose(logits, wanted, 1e-10, 1e-10));
  const at::Tensor loss = torch::nn::functional::cross_entropy(logits, labels_);
  const at::Tensor wanted_loss =
      torch::nn::functional::cross_entropy(wanted, labels_);
  EXPECT_NEAR(loss.item<double>(), wanted_loss.item<double>(), 1e-11);
  loss.backward();
  wanted_loss.backward();
  for (const auto& item : model_.named_parameters()) {
    const at::Tensor& grad = item.value().grad();
    const at::Tensor& other = copies.at(item.key()).grad();
    ASSERT_EQ(grad.defined(), other.defined()) << item.key();
    if (!grad.defined()) continue;
    EXPECT_TRUE(torch::allclose(grad, other, 1e-8, 1e-10))
        << item.key() << " differs by " << (grad - other).abs().max();
  }
}

TEST_P(EverySwitch, MatchesInEvaluationWithItsGates) {
  const torch::NoGradGuard no_grad;
  const reference::Parameters copies = copied_parameters();
  ForwardTrace trace;
  std::vector<at::Tensor> gates;
  const at::Tensor logits = model_.forward(graph_, features_, {}, &trace);
  const at::Tensor wanted = reference::ordered_gnn_logits(
      GetParam().options, copies, graph_, features_, {}, &gates);
  EXPECT_TRUE(torch::allclose(logits, wanted, 1e-10, 1e-10));
  ASSERT_EQ(trace.gates.size(), gates.size());
  for (size_t k = 0; k < gates.size(); ++k) {
    EXPECT_TRUE(torch::allclose(trace.gates[k], gates[k], 1e-10, 1e-10));
  }
  EXPECT_EQ(trace.embeddings.sizes(),
            at::IntArrayRef({kNodes, GetParam().options.hidden}));
}

TEST_P(EverySwitch, GivesTheSameBitsForAnyNumberOfThreads) {
  std::vector<at::Tensor> first;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    model_.zero_grad();
    const at::Tensor logits =
        model_.forward(graph_, features_, {/*training=*/true, 1, 1});
    logits.square().sum().backward();
    std::vector<at::Tensor> seen = {logits.detach().clone()};
    for (const auto& parameter : model_.parameters()) {
      if (parameter.grad().defined()) seen.push_back(parameter.grad().clone());
    }
    if (first.empty()) first = seen;
    ASSERT_EQ(first.size(), seen.size());
    for (size_t i = 0; i < seen.size(); ++i) {
      EXPECT_TRUE(torch::equal(first[i], seen[i])) << threads << " threads";
    }
  }
  set_num_threads(0);
}

INSTANTIATE_TEST_SUITE_P(OrderedGnn, EverySwitch,
                         testing::ValuesIn(all_switches()),
                         [](const testing::TestParamInfo<Case>& info) {
                           return info.param.name;
                         });

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
