#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "ordered_gnn/nn/models.h"
#include "support/graphs.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
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

std::shared_ptr<NodeModel> one_narrow_layer(const char* model, Norm norm) {
  const auto made = hand_made(
      model,
      {{"layers", 1}, {"hidden", 2}, {"chunk", 1}, {"norm", to_string(norm)}},
      {});
  set_ends_by_hand(*made);
  return made;
}

// The states are h = [3, -1], [-1, 7], [1, 3] along the path, so the means of
// the neighbours m = [-1, 7], [2, 1], [-1, 7].
at::Tensor logits_on_path(NodeModel& model) {
  return exact_logits(model, path_of_three(SelfLoops::remove),
                      features_of({{1}, {-1}, {0}}));
}

TEST(GnnPresets, ALayerOfTheGatedGnnByHand) {
  const auto model = one_narrow_layer("gated_gnn", Norm::none);
  // The first gate reads h[0], the second m[1]; sigmoid(k ln 2) is
  // 2^k / (2^k + 1).
  const double ln2 = std::log(2.0);
  set_parameter(*model, "layers.0.gate.weight",
                matrix({{ln2, 0, 0, 0}, {0, 0, 0, ln2}}));
  set_parameter(*model, "layers.0.gate.bias", row({0, -6 * ln2}));
  // Gates [8/9, 2/3], [1/3, 1/33], [2/3, 2/3]: g h + (1 - g) m, neuron by
  // neuron, is [23/9, 5/3], [1, 13/11], [1/3, 13/3].
  EXPECT_TRUE(
      close_to(logits_on_path(*model), matrix({{23. / 9 + 50. / 3 + 7},
                                               {1 + 130. / 11 + 7},
                                               {1. / 3 + 130. / 3 + 7}})));
}

TEST(GnnPresets, ALayerOfTheBareGnnByHand) {
  const auto model = one_narrow_layer("bare_gnn", Norm::layer);
  set_parameter(*model, "layers.0.norm.weight", row({1, 3}));
  set_parameter(*model, "layers.0.norm.bias", row({0, 2}));
  // The norm of m alone: half differences -4, 1/2, -4 over their roots.
  const double p = 4 / std::sqrt(16 + 1e-5), q = 0.5 / std::sqrt(0.25 + 1e-5);
  const auto logit = [](double n) { return n + 10 * (-3 * n + 2) + 7; };
  EXPECT_TRUE(close_to(logits_on_path(*model),
                       matrix({{logit(-p)}, {logit(q)}, {logit(-p)}})));
}

}  // namespace
}  // namespace ordered_gnn::nn
