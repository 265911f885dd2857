#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(Gat, OneHeadByHand) {
  const auto model = hand_made("gat", {{"layers", 1}, {"output-heads", 1}},
                               {{"layers.0.weight", matrix({{2}})},
                                {"layers.0.source", matrix({{1}})},
                                {"layers.0.target", matrix({{-3}})},
                                {"layers.0.bias", row({0.5})}});
  // z = (0, 2, 4); node 0 hears 0 and 1 with scores 0 and 2, node 2 hears 1 and
  // 2 with leaky_relu(2 - 12) = -2 and leaky_relu(4 - 12) = -1.6.
  const double w0 = std::exp(2.0) / (1 + std::exp(2.0));
  const double a = std::exp(-2.0), b = std::exp(-1.6);
  // Node 1 hears all, with scores -6, -4, -2 before the slope.
  const double c = std::exp(-1.2), d = std::exp(-0.8), e = std::exp(-0.4);
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::add),
                                    features_of({{0}, {1}, {2}})),
                       matrix({{2 * w0 + 0.5},
                               {(2 * d + 4 * e) / (c + d + e) + 0.5},
                               {(2 * a + 4 * b) / (a + b) + 0.5}})));
}

TEST(Gat, HeadsAreConcatenatedAndAveragedInTheEnd) {
  const auto model = hand_made(
      "gat", {{"layers", 2}, {"hidden", 2}, {"heads", 2}, {"output-heads", 2}},
      {});
  for (const char* layer : {"layers.0.", "layers.1."}) {
    // Without scores every neighbour has the same weight.
    set_parameter(*model, std::string(layer) + "source", matrix({{0}, {0}}));
    set_parameter(*model, std::string(layer) + "target", matrix({{0}, {0}}));
  }
  set_parameter(*model, "layers.0.weight", matrix({{1}, {-1}}));
  set_parameter(*model, "layers.1.weight", matrix({{1, 0}, {0, 10}}));
  // The mean of neighbours is 2 everywhere: elu(2) and elu(-2), whose heads
  // have weights 1 and 10.
  const Graph pair =
      Graph::from_edges(2, std::vector<std::pair<int64_t, int64_t>>{{0, 1}},
                        {Direction::undirected, SelfLoops::add});
  const double logit = (2 + 10 * (std::exp(-2.0) - 1)) / 2;
  EXPECT_TRUE(close_to(exact_logits(*model, pair, features_of({{1}, {3}})),
                       matrix({{logit}, {logit}})));
}

TEST(Gat, AWidthThatTheHeadsDoNotShareIsRefused) {
  EXPECT_TRUE(contains(refusal("gat", {{"hidden", 30}}),
                       "hidden 30 is not divisible by heads 8"));
}

}  // namespace
}  // namespace ordered_gnn::nn
