// Layers of the Ordered GNN worked by hand, one for every aggregation.
#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

const double kLn2 = std::log(2.0);
const double kOver = std::sqrt(2.0);

// Gates that read nothing: softmax [3/4, 1/4], so cumax [1, 1/4]. Of every
// state the first neuron stays and the second becomes (h + 3 m) / 4.
OrderedGnn two_gates(int64_t layers, Aggregator aggregator) {
  OrderedGnnOptions options;
  options.layers = layers;
  options.hidden = 2;
  options.chunk = 1;
  options.norm = Norm::none;
  options.tied_gates = true;
  options.aggregator = aggregator;
  OrderedGnn model({1, 1}, options, 1);
  set_ends_by_hand(model);
  set_parameter(model, "gate.weight", at::zeros({2, 4}, at::kDouble));
  set_parameter(model, "gate.bias", row({std::log(3.0), 0}));
  return model;
}

// The states are [3, -1], [-1, 7], [1, 3] along the path.
at::Tensor logits_on_path(OrderedGnn& model) {
  return exact_logits(model, path_of_three(SelfLoops::remove),
                      features_of({{1}, {-1}, {0}}));
}

// What one layer makes of them when `m` is the second neuron of the messages.
at::Tensor logits_for(const std::vector<double>& m) {
  const auto logit = [](double first, double second, double message) {
    return first + 10 * (second + 3 * message) / 4 + 7;
  };
  return matrix(
      {{logit(3, -1, m[0])}, {logit(-1, 7, m[1])}, {logit(1, 3, m[2])}});
}

struct ByHand {
  Aggregator aggregator;
  std::vector<double> messages;
};

TEST(OrderedGnnLayer, ScaledSumsAndTheMaximumByHand) {
  for (const ByHand& item : std::vector<ByHand>{
           {Aggregator::mean, {7, 1, 7}},
           {Aggregator::sum, {7, 2, 7}},
           {Aggregator::max, {7, 3, 7}},
           {Aggregator::gcn, {7 / kOver, 2 / kOver, 7 / kOver}}}) {
    OrderedGnn model = two_gates(1, item.aggregator);
    EXPECT_TRUE(close_to(logits_on_path(model), logits_for(item.messages)))
        << to_string(item.aggregator);
  }
}

// Scores (h[u][0] + 2 h[v][0]) ln 2: 5 for node 0, 1 and -1 for what node 1
// hears of nodes 0 and 2, 1 for node 2.
OrderedGnn with_scores(Aggregator aggregator) {
  OrderedGnn model = two_gates(1, aggregator);
  set_parameter(model, "layers.0.attention.source", row({kLn2, 0}));
  set_parameter(model, "layers.0.attention.target", row({2 * kLn2, 0}));
  return model;
}

TEST(OrderedGnnLayer, AttentionByHand) {
  OrderedGnn model = with_scores(Aggregator::gat);
  // leaky_relu makes the -1 a -0.2; one neighbour alone has all the weight.
  const double a = 2 / (2 + std::pow(2, -0.2));
  EXPECT_TRUE(close_to(logits_on_path(model),
                       logits_for({7, a * -1 + (1 - a) * 3, 7})));
}

TEST(OrderedGnnLayer, SignedNeighboursByHand) {
  OrderedGnn model = with_scores(Aggregator::signed_);
  // tanh(k ln 2) = (4^k - 1) / (4^k + 1).
  const double middle = (3. / 5 * -1 + -3. / 5 * 3) / 2;
  EXPECT_TRUE(close_to(logits_on_path(model),
                       logits_for({7 * 1023. / 1025, middle, 7 * 3. / 5})));
}

TEST(OrderedGnnLayer, AGateOnceOpenStaysOpenByHand) {
  OrderedGnn model = two_gates(2, Aggregator::mean);
  // One layer: second neurons (-1 + 21) / 4, (7 + 3) / 4, (3 + 21) / 4.
  const double a = 5, b = 2.5, c = 6;
  // The next gate is 1/4 + 3/4 * 1/4 = 7/16.
  const auto logit = [](double first, double second, double message) {
    return first + 10 * (7 * second + 9 * message) / 16 + 7;
  };
  EXPECT_TRUE(close_to(
      logits_on_path(model),
      matrix(
          {{logit(3, a, b)}, {logit(-1, b, (a + c) / 2)}, {logit(1, c, b)}})));
}

}  // namespace
}  // namespace ordered_gnn::nn
