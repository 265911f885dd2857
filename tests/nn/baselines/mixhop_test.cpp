#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(MixHop, PowersStandSideBySideByHand) {
  const auto model = hand_made(
      "mixhop", {{"layers", 2}, {"hops", 2}, {"hidden", 3}, {"norm", "none"}},
      {{"input.0.weight", matrix({{1}, {2}, {3}})},
       // The last layer takes its power 0 alone: shares (1, 0, 0).
       {"layers.0.weight", matrix({{1, 10, 100}, {7, 7, 7}, {7, 7, 7}})},
       {"shares", row({0, -1e3, -1e3})}});
  // Columns 0 of Â and Â^2 are (1/2, r, 0) and (1/4 + r^2, 5 r / 6, r^2).
  const double r = 1 / std::sqrt(6.0);
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::add),
                                    features_of({{1}, {0}, {0}})),
                       matrix({{1 + 20 * 0.5 + 300 * (0.25 + r * r)},
                               {20 * r + 300 * 5 * r / 6},
                               {300 * r * r}})));
}

TEST(MixHop, TheLastLayerAddsItsPowersByHand) {
  const auto model = hand_made("mixhop", {{"layers", 1}, {"hops", 1}},
                               {{"input.0.weight", matrix({{2}, {5}})},
                                {"shares", row({0, std::log(3.0)})}});
  // Shares are 1/4 and 3/4, column 0 of Â is (1/2, r, 0).
  const double r = 1 / std::sqrt(6.0);
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::add),
                                    features_of({{1}, {0}, {0}})),
                       matrix({{0.5 + 3.75 * 0.5}, {3.75 * r}, {0}})));
}

TEST(MixHop, AWidthThatThePowersDoNotShareIsRefused) {
  EXPECT_TRUE(contains(refusal("mixhop", {{"hidden", 64}, {"hops", 2}}),
                       "hidden 64 is not divisible by 3"));
}

}  // namespace
}  // namespace ordered_gnn::nn
