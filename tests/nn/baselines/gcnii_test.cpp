#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

// The first state is four times the feature, the logit the last state; the
// weights are those of the layers.
std::shared_ptr<NodeModel> made_of(const char* name,
                                   const std::vector<at::Tensor>& weights) {
  Values parameters = {{"input.0.weight", matrix({{4}})},
                       {"input.0.bias", row({0})},
                       {"output.weight", matrix({{1}})},
                       {"output.bias", row({0})}};
  for (size_t i = 0; i < weights.size(); ++i) {
    parameters.emplace_back("layers." + std::to_string(i) + ".weight",
                            weights[i]);
  }
  return hand_made(name,
                   {{"layers", weights.size()},
                    {"hidden", 1},
                    {"alpha", 0.25},
                    {"lambda", 0.5}},
                   parameters);
}

// Two nodes that hear both, so Â averages.
Graph pair_of_nodes() {
  return Graph::from_edges(2, std::vector<std::pair<int64_t, int64_t>>{{0, 1}},
                           {Direction::undirected, SelfLoops::add});
}

TEST(Gcnii, TwoLayersByHand) {
  const auto model = made_of("gcnii", {matrix({{3}}), matrix({{-1}})});
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
  const auto model = made_of("gcnii_star", {matrix({{3, 5}})});
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
