#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(Appnp, TwoHopsByHand) {
  const auto model =
      hand_made("appnp", {{"hops", 2}, {"alpha", 0.25}, {"hidden", 1}},
                {{"input.0.weight", matrix({{2}})},
                 {"input.0.bias", row({0})},
                 {"last.weight", matrix({{4}})},
                 {"last.bias", row({0})}});
  // H = (8, 0, 0); column 0 of Â is (1/2, r, 0).
  const double r = 1 / std::sqrt(6.0);
  const double a = 0.75 * 4 + 0.25 * 8, b = 0.75 * 8 * r;
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::add),
                                    features_of({{1}, {0}, {0}})),
                       matrix({{0.75 * (a / 2 + r * b) + 2},
                               {0.75 * (r * a + b / 3)},
                               {0.75 * r * b}})));
}

TEST(Appnp, DropsEdgesOfEveryHopAnew) {
  const torch::NoGradGuard no_grad;
  ModelOptions options;
  options.hops = 1;
  options.alpha = 0;
  options.dropout_theta = 0;
  options.dropout_xi = 0.5;
  const auto model = create_model("appnp", {3, 1}, options, 1);
  const Graph graph = path_of_three(SelfLoops::add);
  const NodeFeatures features = NodeFeatures::identity(3);
  // Over many steps the mean of dropped propagations is the propagation.
  at::Tensor sum = torch::zeros({3, 1});
  for (int64_t step = 0; step < 4000; ++step) {
    sum += model->forward(graph, features, {true, 1, step});
  }
  EXPECT_TRUE(torch::allclose(sum / 4000, model->forward(graph, features, {}),
                              0.05, 0.02));
}

}  // namespace
}  // namespace ordered_gnn::nn
