#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(H2Gcn, TwoRoundsByHand) {
  const auto model = hand_made(
      "h2gcn", {{"layers", 2}, {"hidden", 1}},
      {{"input.0.weight", matrix({{1}})},
       {"output.weight", matrix({{1, 10, 100, 1e3, 1e4, 1e5, 1e6}})}});
  // On 0 - 1 - 2 only the ends are two hops apart. One hop takes (a, b, c) to
  // (r b, r (a + c), r b) with r = 1/sqrt(2), two hops take it to (c, 0, a).
  const double r = 1 / std::sqrt(2.0);
  // R_0 = (1, 0, 0), one hop (0, r, 0), two hops (0, 0, 1); round two takes
  // these to (1/2, 0, 1/2) and (0, r, 0), then (0, 0, 0) and (1, 0, 0).
  EXPECT_TRUE(
      close_to(exact_logits(*model, path_of_three(SelfLoops::remove),
                            features_of({{1}, {0}, {0}})),
               matrix({{1 + 0.5e3 + 1e6}, {10 * r + 1e4 * r}, {100 + 0.5e3}})));
}

TEST(H2Gcn, TooManyRoundsAreRefused) {
  EXPECT_TRUE(contains(refusal("h2gcn", {{"layers", 9}}),
                       "--layers must be at most 8"));
}

}  // namespace
}  // namespace ordered_gnn::nn
