#include <gtest/gtest.h>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(ResGcn, AddsTheInputOfALayerByHand) {
  const auto model = hand_made("resgcn", {{"layers", 3}, {"hidden", 1}},
                               {{"input.0.weight", matrix({{1}})},
                                {"layers.0.weight", matrix({{2}})},
                                {"layers.0.bias", row({-5})},
                                {"output.weight", matrix({{1}})}});
  // Without edges but loops Â is the identity: h = x, h' = relu(2 h - 5) + h.
  const Graph loops = Graph::from_edges(
      2, std::vector<std::pair<int64_t, int64_t>>{}, {{}, SelfLoops::add});
  EXPECT_TRUE(close_to(exact_logits(*model, loops, features_of({{2}, {4}})),
                       matrix({{2}, {7}})));
}

TEST(ResGcn, OneLayerIsRefused) {
  EXPECT_TRUE(contains(refusal("resgcn", {{"layers", 1}}),
                       "--layers must be at least 2"));
}

}  // namespace
}  // namespace ordered_gnn::nn
