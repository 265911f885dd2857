#include "ordered_gnn/nn/gnn_presets.h"

#include <gtest/gtest.h>

#include "ordered_gnn/nn/models.h"
#include "support/graphs.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

TEST(GnnPresets, AreTheOrderedGnnWithTheirGating) {
  const torch::NoGradGuard no_grad;
  const Graph graph = random_graph(20, 60, 3);
  const NodeFeatures features =
      NodeFeatures::dense(random_tensor({20, 5}, at::kFloat, 2));
  ModelOptions options;
  options.layers = 2;
  options.hidden = 8;
  const auto logits = [&](const char* model, Gating gating) {
    options.gating = gating;
    return create_model(model, {5, 3}, options, 4)
        ->forward(graph, features, {true, 1, 2});
  };
  EXPECT_TRUE(torch::equal(logits("gated_gnn", Gating::softor),
                           logits("ordered_gnn", Gating::simple)));
  EXPECT_TRUE(torch::equal(logits("bare_gnn", Gating::softor),
                           logits("ordered_gnn", Gating::none)));
}

}  // namespace
}  // namespace ordered_gnn
