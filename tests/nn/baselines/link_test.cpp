#include <gtest/gtest.h>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(Link, AddsTheRowsOfTheNeighboursByHand) {
  const auto model =
      create_model("link", {7, 2, NodeFeatures::Kind::dense, 3}, {}, 1);
  set_parameter(*model, "output.weight",
                matrix({{1, 2}, {10, 20}, {100, 200}}));
  set_parameter(*model, "output.bias", row({0.5, 0}));
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::remove),
                                    features_of({{0}, {0}, {0}})),
                       matrix({{10.5, 20}, {101.5, 202}, {10.5, 20}})));
}

TEST(Link, HasARowPerNodeAndReadsNoFeatures) {
  const auto model =
      create_model("link", {1000, 2, NodeFeatures::Kind::sparse, 3}, {}, 1);
  int64_t numbers = 0;
  for (const auto& one : model->parameters()) numbers += one.numel();
  EXPECT_EQ(numbers, 3 * 2 + 2);
}

}  // namespace
}  // namespace ordered_gnn::nn
