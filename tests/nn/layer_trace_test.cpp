// What models hand to ForwardTrace::on_layer.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>

#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/graphs.h"
#include "support/model_cases.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kChain = 14;
constexpr int64_t kWidth = 5;

std::shared_ptr<NodeModel> made(const ModelCase& wanted, int64_t num_nodes) {
  return create_model(wanted.model,
                      {kWidth, 3, NodeFeatures::Kind::dense, num_nodes},
                      wanted.options, 7);
}

ForwardContext context_of(const NodeModel& model, const Graph& graph) {
  NodeDataset data;
  data.graph = graph;
  ForwardContext context;
  context.preparation = model.prepare(data);
  return context;
}

std::vector<LayerTrace> layers_of(NodeModel& model, const Graph& graph,
                                  const NodeFeatures& features,
                                  at::Tensor* logits = nullptr,
                                  bool fused = true) {
  std::vector<LayerTrace> layers;
  ForwardTrace trace;
  trace.on_layer = [&](const LayerTrace& layer) { layers.push_back(layer); };
  ForwardContext context = context_of(model, graph);
  context.fused = fused;
  const at::Tensor out = model.forward(graph, features, context, &trace);
  EXPECT_TRUE(trace.gates.empty());
  if (logits != nullptr) *logits = out;
  return layers;
}

class LayersOfModels : public testing::TestWithParam<ModelCase> {
 protected:
  const torch::NoGradGuard no_grad_;
  const at::Tensor values_ = random_tensor({kChain, kWidth}, at::kFloat, 2);
};

TEST_P(LayersOfModels, RiseAndEndInTheLogits) {
  const Graph graph = random_graph(kChain, 40, 4);
  const NodeFeatures features = NodeFeatures::dense(values_);
  const auto model = made(GetParam(), kChain);
  at::Tensor logits;
  const std::vector<LayerTrace> layers =
      layers_of(*model, graph, features, &logits);
  EXPECT_TRUE(torch::equal(
      logits, model->forward(graph, features, context_of(*model, graph))));
  int64_t last = -1;
  for (const LayerTrace& layer : layers) {
    EXPECT_GT(layer.layer, last);
    EXPECT_EQ(layer.state.size(0), kChain);
    last = layer.layer;
  }
  if (layers.empty()) return;
  const at::Tensor again = model->classify(layers.back().state);
  if (again.defined()) {
    EXPECT_TRUE(close_to(again, logits));
  }
}

// On a chain 0 -> 1 -> 2 ... a round of messages carries one step, so what
// node 0 says arrives at nodes 0 .. K and nowhere else.
TEST_P(LayersOfModels, CountTheRoundsThatLogitsHaveSeen) {
  const Graph graph = chain(kChain);
  at::Tensor other = values_.clone();
  other[0] += 3;
  const auto model = made(GetParam(), kChain);
  at::Tensor logits, moved;
  const std::vector<LayerTrace> layers =
      layers_of(*model, graph, NodeFeatures::dense(values_), &logits);
  layers_of(*model, graph, NodeFeatures::dense(other), &moved);
  if (layers.empty()) return;  // NameTheirRounds says which show them
  const int64_t rounds = layers.back().layer;
  ASSERT_LT(rounds + 1, kChain);
  const at::Tensor change = (moved - logits).abs().sum(1);
  EXPECT_EQ(change.slice(0, rounds + 1).max().item<float>(), 0.0f);
}

INSTANTIATE_TEST_SUITE_P(Models, LayersOfModels,
                         testing::ValuesIn(model_cases()),
                         [](const testing::TestParamInfo<ModelCase>& info) {
                           return info.param.name;
                         });

TEST(LayersOfNamedModels, NameTheirRounds) {
  const torch::NoGradGuard no_grad;
  const std::map<std::string, int64_t> rounds = {
      {"ordered_gnn", 3}, {"gated_gnn", 3}, {"bare_gnn", 3},  {"mlp", 0},
      {"gcn", 3},         {"gat", 3},       {"graphsage", 3}, {"gcnii", 3},
      {"gcnii_star", 3},  {"jknet", 3},     {"resgcn", 3},    {"sgc", 2},
      {"appnp", 2},       {"gprgnn", 2},    {"mixhop", 6},    {"ggcn", 3},
      {"tuned_gnn", 3},   {"acm_gcn", 3},   {"fagcn", 3}};
  const NodeFeatures features =
      NodeFeatures::dense(random_tensor({6, kWidth}, at::kFloat, 2));
  size_t found = 0;
  for (const ModelCase& model : model_cases()) {
    const auto wanted = rounds.find(model.name);
    if (wanted == rounds.end()) continue;
    ++found;
    const std::vector<LayerTrace> layers =
        layers_of(*made(model, 6), chain(6), features);
    ASSERT_FALSE(layers.empty()) << model.name;
    EXPECT_EQ(layers.back().layer, wanted->second) << model.name;
  }
  EXPECT_EQ(found, rounds.size());
}

OrderedGnnOptions traced_options(Gating gating) {
  OrderedGnnOptions options;
  options.layers = 3;
  options.hidden = 8;
  options.chunk = 2;
  options.gating = gating;
  return options;
}

TEST(LayerTrace, StreamsTheGatesThatAreKeptOtherwise) {
  const torch::NoGradGuard no_grad;
  const Graph graph = random_graph(20, 60, 1);
  const NodeFeatures features =
      NodeFeatures::dense(random_tensor({20, kWidth}, at::kFloat, 5));
  for (const Gating gating :
       {Gating::simple, Gating::ordered, Gating::softor}) {
    OrderedGnn model({kWidth, 3}, traced_options(gating), 3);
    ForwardTrace kept;
    model.forward(graph, features, {}, &kept);
    for (const bool fused : {true, false}) {
      const std::vector<LayerTrace> layers =
          layers_of(model, graph, features, nullptr, fused);
      ASSERT_EQ(layers.size(), 4u);
      EXPECT_FALSE(layers[0].gate.defined());
      for (size_t k = 1; k < layers.size(); ++k) {
        EXPECT_TRUE(close_to(layers[k].gate, kept.gates[k - 1]));
      }
      EXPECT_TRUE(close_to(layers[3].state, kept.embeddings));
    }
  }
}

TEST(LayerTrace, PiecesOfANetworkMakeItsForwardPass) {
  const torch::NoGradGuard no_grad;
  const Graph graph = random_graph(20, 60, 1);
  const NodeFeatures features =
      NodeFeatures::dense(random_tensor({20, kWidth}, at::kFloat, 5));
  for (const Gating gating : {Gating::none, Gating::simple, Gating::softor}) {
    const OrderedGnnOptions options = traced_options(gating);
    OrderedGnn model({kWidth, 3}, options, 3);
    OrderedGnn::State state = model.first_state(features);
    for (int64_t k = 1; k <= options.layers; ++k) {
      state = model.next_state(graph, k, state);
    }
    EXPECT_TRUE(torch::equal(model.classify(state.h),
                             model.forward(graph, features, {})));
    EXPECT_THROW(model.next_state(graph, 0, state), c10::Error);
    EXPECT_THROW(model.next_state(graph, 4, state), c10::Error);
  }
}

TEST(LayerTrace, ANetworkWithoutGatesShowsStatesAlone) {
  const torch::NoGradGuard no_grad;
  OrderedGnn model({kWidth, 3}, traced_options(Gating::none), 3);
  const NodeFeatures features =
      NodeFeatures::dense(random_tensor({9, kWidth}, at::kFloat, 5));
  const std::vector<LayerTrace> layers = layers_of(model, star(9), features);
  ASSERT_EQ(layers.size(), 4u);
  for (const LayerTrace& layer : layers) {
    EXPECT_FALSE(layer.gate.defined());
    EXPECT_EQ(layer.state.sizes(), at::IntArrayRef({9, 8}));
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
