#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

// One layer of one head: q = h, k = h, v = 2 h, r = 3 h.
std::shared_ptr<NodeModel> one_layer(const at::Tensor& gate) {
  ModelOptions options;
  options.layers = 1;
  options.hidden = options.heads = 1;
  auto model = create_model("unimp", ModelShape{1, 1}, options, 1);
  set_parameter(*model, "layers.0.weight", matrix({{1}, {1}, {2}, {3}}));
  set_parameter(*model, "layers.0.gate", gate);
  set_parameter(*model, "label.weight", matrix({{5}}));
  return model;
}

TEST(UniMp, OneHeadByHand) {
  const auto model = one_layer(row({0, 0, 0}));
  const double e = std::exp(1.0);
  // Node 0 asks with 0, so it hears the mean of 0 and 2; node 1 asks with 1 and
  // weighs 0, 2, 4 with 1, e, e^2; node 2 asks with 2 and weighs 2, 4 with
  // e^2, e^4. A gate of 1/2 takes the mean of that and of 3 h.
  const double m1 = (2 * e + 4 * e * e) / (1 + e + e * e);
  const double m2 = (2 + 4 * e * e) / (1 + e * e);
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::add),
                                    features_of({{0}, {1}, {2}})),
                       matrix({{0.5}, {(m1 + 3) / 2}, {(m2 + 6) / 2}})));
}

TEST(UniMp, TheGateReadsMessageRootAndTheirDifference) {
  const auto model = one_layer(row({1, 2, 3}));
  const at::Tensor logits = exact_logits(*model, path_of_three(SelfLoops::add),
                                         features_of({{0}, {1}, {2}}));
  // Node 0: m = 1 and r = 0.
  const double gate = 1 / (1 + std::exp(-(1.0 + 3.0)));
  EXPECT_NEAR(logits[0].item<double>(), 1 - gate, 1e-12);
}

TEST(UniMp, AKnownLabelIsAddedToTheFeatures) {
  const auto model = one_layer(row({1, 0, 0}));
  const torch::NoGradGuard no_grad;
  const KnownLabels known{torch::tensor({0, 2}, at::kLong),
                          torch::tensor({0, 0}, at::kLong)};
  ForwardContext context;
  context.known = &known;
  const Graph graph = path_of_three(SelfLoops::add);
  EXPECT_TRUE(
      close_to(model->forward(graph, features_of({{0}, {1}, {2}}), context),
               exact_logits(*model, graph, features_of({{5}, {1}, {7}}))));
}

TEST(UniMp, HeadsOfTheLastLayerAreAveraged) {
  const auto model = hand_made(
      "unimp", {{"layers", 1}, {"hidden", 2}, {"heads", 2}},
      {// Queries of 0 weigh all neighbours alike; values are h and 3 h, the
       // root 0.
       {"layers.0.weight", matrix({{0}, {0}, {1}, {1}, {1}, {3}, {0}})},
       {"layers.0.gate", row({0, 0, 0})}});
  // Means of neighbours are 1/2, 1, 3/2; twice that over two heads, halved.
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::add),
                                    features_of({{0}, {1}, {2}})),
                       matrix({{0.5}, {1}, {1.5}})));
}

TEST(UniMp, AWidthThatTheHeadsDoNotShareIsRefused) {
  EXPECT_TRUE(contains(refusal("unimp", {{"hidden", 30}}),
                       "hidden 30 is not divisible by heads 8"));
}

}  // namespace
}  // namespace ordered_gnn::nn
