#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

ModelOptions two_layers() {
  ModelOptions options;
  options.layers = 2;
  options.hidden = 1;
  options.alpha = 0.25;
  options.lambda = 0.5;
  return options;
}

void set_ends(NodeModel& model) {
  set_parameter(model, "input.0.weight", matrix({{4}}));
  set_parameter(model, "input.0.bias", row({0}));
  set_parameter(model, "output.weight", matrix({{1}}));
  set_parameter(model, "output.bias", row({0}));
}

// Two nodes that hear both, so Â averages.
Graph pair_of_nodes() {
  return Graph::from_edges(2, std::vector<std::pair<int64_t, int64_t>>{{0, 1}},
                           {Direction::undirected, SelfLoops::add});
}

TEST(Gcnii, TwoLayersByHand) {
  const auto model = create_model("gcnii", {1, 1}, two_layers(), 1);
  set_ends(*model);
  set_parameter(*model, "layers.0.weight", matrix({{3}}));
  set_parameter(*model, "layers.1.weight", matrix({{-1}}));
  const double beta1 = std::log(1.5), beta2 = std::log(1.25);
  // H_0 = (4, 8) with mean 6; a layer multiplies R by 1 - beta + beta W.
  const double f1 = 1 - beta1 + 3 * beta1, f2 = 1 - beta2 - beta2;
  const double a = f1 * (0.75 * 6 + 1), b = f1 * (0.75 * 6 + 2);
  const double mean = (a + b) / 2;
  EXPECT_TRUE(
      close_to(exact_logits(*model, pair_of_nodes(), features_of({{1}, {2}})),
               matrix({{f2 * (0.75 * mean + 1)}, {f2 * (0.75 * mean + 2)}})));
}

TEST(Gcnii, TheStarHasAWeightForEitherPart) {
  ModelOptions options = two_layers();
  options.layers = 1;
  const auto model = create_model("gcnii_star", {1, 1}, options, 1);
  set_ends(*model);
  set_parameter(*model, "layers.0.weight", matrix({{3, 5}}));
  const double beta = std::log(1.5);
  const double near = 1 - beta + 3 * beta, start = 1 - beta + 5 * beta;
  EXPECT_TRUE(
      close_to(exact_logits(*model, pair_of_nodes(), features_of({{1}, {2}})),
               matrix({{near * 4.5 + start * 1}, {near * 4.5 + start * 2}})));
}

TEST(Gcnii, ConvolutionsHaveAnL2OfTheirOwn) {
  EXPECT_EQ(NodeModel::role_of("layers.0.weight"), ParameterRole::xi);
  EXPECT_EQ(find_model("gcnii").defaults.at("l2-xi"), 0.01);
  EXPECT_EQ(find_model("gcnii").defaults.at("l2-theta"), 5e-4);
}

}  // namespace
}  // namespace ordered_gnn::nn
