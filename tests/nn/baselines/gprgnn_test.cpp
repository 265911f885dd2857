#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(GprGnn, SignedHopWeightsByHand) {
  const auto model = hand_made("gprgnn", {{"hops", 2}, {"hidden", 1}},
                               {{"input.0.weight", matrix({{1}})},
                                {"input.0.bias", row({0})},
                                {"output.weight", matrix({{1}})},
                                {"output.bias", row({0})},
                                {"gamma", row({5, -2, 3})}});
  // Columns 0 of Â and Â^2 are (1/2, r, 0) and (1/4 + r^2, 5 r / 6, r^2).
  const double r = 1 / std::sqrt(6.0);
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::add),
                                    features_of({{1}, {0}, {0}})),
                       matrix({{5 - 2 * 0.5 + 3 * (0.25 + r * r)},
                               {-2 * r + 3 * 5 * r / 6},
                               {3 * r * r}})));
}

at::Tensor first_gamma(HopWeights weights, double alpha) {
  ModelOptions options;
  options.hops = 2;
  options.alpha = alpha;
  options.hop_weights = weights;
  const auto model = create_model("gprgnn", {1, 1}, options, 1);
  return model->named_parameters()["gamma"].detach();
}

TEST(GprGnn, StartsFromTheWeightsAskedFor) {
  EXPECT_TRUE(close_to(first_gamma(HopWeights::ppr, 0.1),
                       torch::tensor({0.1, 0.09, 0.81})));
  EXPECT_TRUE(close_to(first_gamma(HopWeights::nppr, 0.5),
                       torch::tensor({4 / 7.0, 2 / 7.0, 1 / 7.0})));
  EXPECT_TRUE(close_to(first_gamma(HopWeights::last, 0.5),
                       torch::tensor({0.0, 0.0, 1.0})));
  EXPECT_NEAR(first_gamma(HopWeights::random, 0.5).abs().sum().item<double>(),
              1, 1e-6);
}

}  // namespace
}  // namespace ordered_gnn::nn
