#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

double softplus(double x) { return std::log1p(std::exp(x)); }

TEST(Ggcn, SignedMessagesByHand) {
  const auto model = hand_made(
      "ggcn", {{"layers", 2}, {"hidden", 1}},
      {{"input.0.weight", matrix({{0}})},
       {"input.0.bias", row({0})},
       {"layers.0.weight", matrix({{1}})},
       {"layers.0.bias", row({0})},
       {"layers.0.degree", row({2, 1})},
       {"layers.0.shares", row({0, std::log(2.0), 0})},
       // The second layer only multiplies: shares (0, 0, 1) and factor 1.
       {"layers.1.weight", matrix({{1}})},
       {"layers.1.bias", row({0})},
       {"layers.1.shares", row({-1e3, -1e3, 0})},
       {"layers.1.scale", row({std::log(std::exp(1.0) - 1)})}});
  // z = (3, -1, 2) on 0 - 1 - 2 with degrees 2, 3, 2: both edges of node 1 have
  // cosine -1, and shares are c = (1/4, 1/2, 1/4).
  const double r = 1 / std::sqrt(6.0);
  const double to_middle = softplus(2 * (std::sqrt(2.0 / 3) - 1) + 1);
  const double to_end = softplus(2 * (std::sqrt(3.0 / 2) - 1) + 1);
  const double scale = softplus(2);
  const auto elu = [](double x) { return x > 0 ? x : std::expm1(x); };
  const double end_message = -0.5 * to_end * r * -1;
  EXPECT_TRUE(close_to(
      exact_logits(*model, path_of_three(SelfLoops::add),
                   features_of({{3}, {-1}, {2}})),
      matrix({{elu(scale * (end_message + 3 / 4.0))},
              {elu(scale * (-0.5 * to_middle * r * (3 + 2) - 1 / 4.0))},
              {elu(scale * (end_message + 2 / 4.0))}})));
}

TEST(Ggcn, OneLayerIsRefused) {
  EXPECT_TRUE(contains(refusal("ggcn", {{"layers", 1}}),
                       "--layers must be at least 2"));
}

}  // namespace
}  // namespace ordered_gnn::nn
