#include <gtest/gtest.h>
#include <torch/nn/modules/rnn.h>

#include "nn/baselines/layer_attention.h"
#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

// Â of this graph is the identity, so layers are h' = relu(w h + b).
Graph only_loops(int64_t num_nodes) {
  return Graph::from_edges(num_nodes,
                           std::vector<std::pair<int64_t, int64_t>>{},
                           {{}, SelfLoops::add});
}

// Logits for the features 1 and 5. Before layers are joined h_1 = (x, 0) and
// h_2 = (relu(3 - x), x); `output` is the weight of what joins them.
at::Tensor joined_logits(const char* jumping, const at::Tensor& output,
                         const Values& more = {}) {
  Values parameters = {{"input.0.weight", matrix({{1}, {0}})},
                       {"layers.0.weight", matrix({{-1, 0}, {1, 0}})},
                       {"layers.0.bias", row({3, 0})},
                       {"output.weight", output},
                       {"output.bias", row({0})}};
  parameters.insert(parameters.end(), more.begin(), more.end());
  const auto model =
      hand_made("jknet", {{"layers", 2}, {"hidden", 2}, {"jumping", jumping}},
                parameters);
  return exact_logits(*model, only_loops(2), features_of({{1}, {5}}));
}

TEST(JkNet, ConcatenatesAllLayersByHand) {
  EXPECT_TRUE(close_to(joined_logits("concat", matrix({{1, 10, 100, 1000}})),
                       matrix({{1 + 200 + 1000}, {5 + 0 + 5000}})));
}

TEST(JkNet, OfGraphSageLayersKeepsNodesApartFromNeighboursByHand) {
  const auto model =
      hand_made("jknet",
                {{"layers", 1},
                 {"hidden", 1},
                 {"jumping", "concat"},
                 {"convolution", "sage"},
                 {"aggregator", "mean"}},
                {{"input.0.weight", matrix({{1}, {10}})},  // S, then T
                 {"input.0.bias", row({0.5})},
                 {"output.weight", matrix({{1}})},
                 {"output.bias", row({0})}});
  const Graph path = Graph::from_edges(
      3, std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {2, 1}},
      {Direction::as_stored, SelfLoops::keep});
  EXPECT_TRUE(close_to(exact_logits(*model, path, features_of({{1}, {5}, {3}})),
                       matrix({{1.5}, {5 + 20 + 0.5}, {3.5}})));
}

TEST(JkNet, TakesTheMaximumOverLayersByHand) {
  EXPECT_TRUE(close_to(joined_logits("max", matrix({{1, 10}})),
                       matrix({{2 + 10}, {5 + 50}})));
}

TEST(JkNet, TheLstmGivesSharesOfTheLayers) {
  // Scores that do not depend on the layer: every layer has the same share.
  const Values scores = {{"jumping.score.weight", matrix({{0, 0, 0, 0}})}};
  EXPECT_TRUE(close_to(joined_logits("lstm", matrix({{1, 10}}), scores),
                       matrix({{1.5 + 5}, {2.5 + 25}})));
}

TEST(LayerAttention, RunsTheLstmOfLibTorchBothWays) {
  constexpr int64_t kWidth = 3, kRows = 4, kSteps = 5;
  RandomStream random(1);
  LayerAttention attention(kWidth, random);
  attention.to(at::kDouble);
  std::vector<at::Tensor> states;
  for (uint64_t k = 0; k < kSteps; ++k) {
    states.push_back(random_tensor({kRows, kWidth}, at::kDouble, k));
  }
  // LibTorch orders the gates as i, f, g, o and has two biases.
  torch::nn::LSTM lstm(
      torch::nn::LSTMOptions(kWidth, kWidth).bidirectional(true));
  lstm->to(at::kDouble);
  const torch::NoGradGuard no_grad;
  const auto reordered = [](const at::Tensor& t) {
    const auto part = t.chunk(4, 0);
    return at::cat({part[0], part[1], part[3], part[2]});
  };
  auto parameters = lstm->named_parameters();
  for (const bool is_up : {true, false}) {
    const Affine& cell = is_up ? *attention.up : *attention.down;
    const std::string suffix = is_up ? "l0" : "l0_reverse";
    const at::Tensor weight = reordered(cell.weight);
    parameters["weight_ih_" + suffix].copy_(weight.narrow(1, 0, kWidth));
    parameters["weight_hh_" + suffix].copy_(weight.narrow(1, kWidth, kWidth));
    parameters["bias_ih_" + suffix].copy_(reordered(cell.bias));
    parameters["bias_hh_" + suffix].zero_();
  }
  const at::Tensor out = std::get<0>(lstm->forward(at::stack(states)));
  const at::Tensor scores =
      out.matmul(attention.score->weight.t()) + attention.score->bias;
  const at::Tensor expected = (scores.softmax(0) * at::stack(states)).sum(0);
  EXPECT_TRUE(close_to(attention.forward(states), expected));
}

}  // namespace
}  // namespace ordered_gnn::nn
