#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(Sgc, TwoHopsByHand) {
  const auto model = hand_made(
      "sgc", {{"hops", 2}},
      {{"output.weight", matrix({{3}, {-1}})}, {"output.bias", row({1, 2})}},
      {1, 2});
  // Column 0 of Â is (1/2, r, 0), of Â^2 as below.
  const double r = 1 / std::sqrt(6.0);
  const double a0 = 0.25 + r * r, a1 = r / 2 + r / 3, a2 = r * r;
  EXPECT_TRUE(close_to(
      exact_logits(*model, path_of_three(SelfLoops::add),
                   features_of({{1}, {0}, {0}})),
      matrix(
          {{3 * a0 + 1, 2 - a0}, {3 * a1 + 1, 2 - a1}, {3 * a2 + 1, 2 - a2}})));
}

}  // namespace
}  // namespace ordered_gnn::nn
