#include "nn/baselines/mixhop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(MixHop, PowersStandSideBySideByHand) {
  ModelOptions options;
  options.layers = 2;
  options.hops = 2;
  options.hidden = 3;
  options.norm = Norm::none;
  MixHop model({1, 1}, options, 1);
  set_parameter(model, "input.0.weight", matrix({{1}, {2}, {3}}));
  // The last layer takes its power 0 alone: shares (1, 0, 0).
  set_parameter(model, "layers.0.weight",
                matrix({{1, 10, 100}, {7, 7, 7}, {7, 7, 7}}));
  set_parameter(model, "shares", row({0, -1e3, -1e3}));
  // Columns 0 of Â and Â^2 are (1/2, r, 0) and (1/4 + r^2, 5 r / 6, r^2).
  const double r = 1 / std::sqrt(6.0);
  EXPECT_TRUE(close_to(exact_logits(model, path_of_three(SelfLoops::add),
                                    features_of({{1}, {0}, {0}})),
                       matrix({{1 + 20 * 0.5 + 300 * (0.25 + r * r)},
                               {20 * r + 300 * 5 * r / 6},
                               {300 * r * r}})));
}

TEST(MixHop, TheLastLayerAddsItsPowersByHand) {
  ModelOptions options;
  options.layers = 1;
  options.hops = 1;
  MixHop model({1, 1}, options, 1);
  set_parameter(model, "input.0.weight", matrix({{2}, {5}}));
  set_parameter(model, "shares", row({0, std::log(3.0)}));
  // Shares are 1/4 and 3/4, column 0 of Â is (1/2, r, 0).
  const double r = 1 / std::sqrt(6.0);
  EXPECT_TRUE(close_to(exact_logits(model, path_of_three(SelfLoops::add),
                                    features_of({{1}, {0}, {0}})),
                       matrix({{0.5 + 3.75 * 0.5}, {3.75 * r}, {0}})));
}

TEST(MixHop, AWidthThatThePowersDoNotShareIsRefused) {
  ModelOptions options;
  options.hidden = 64;
  options.hops = 2;
  EXPECT_TRUE(contains(error_of([&] {
                         create_model("mixhop", {1, 1}, options, 1);
                       }),
                       "hidden 64 is not divisible by 3"));
}

}  // namespace
}  // namespace ordered_gnn::nn
