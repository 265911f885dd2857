#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/graphs.h"
#include "support/reference_model.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(Mlp, MatchesThePlainCompositionInForwardAndGradients) {
  ModelOptions options;
  options.hidden = 12;
  options.mlp_layers = 2;
  options.dropout_theta = 0.4;
  at::manual_seed(1);
  const NodeFeatures features = NodeFeatures::dense(torch::rand({9, 5}));
  const auto model = create_model("mlp", {5, 3}, options, 4);
  model->to(at::kDouble);
  reference::Parameters copies;
  for (const auto& item : model->named_parameters()) {
    copies[item.key()] = item.value().detach().clone().set_requires_grad(true);
  }
  const ForwardContext context{true, 2, 3};
  const at::Tensor logits = model->forward(no_edges(9), features, context);
  const at::Tensor wanted =
      reference::mlp_logits(options, copies, features, context);
  EXPECT_TRUE(torch::allclose(logits, wanted, 1e-11, 1e-11));
  logits.square().sum().backward();
  wanted.square().sum().backward();
  for (const auto& item : model->named_parameters()) {
    EXPECT_TRUE(torch::allclose(item.value().grad(),
                                copies.at(item.key()).grad(), 1e-9, 1e-10))
        << item.key();
  }
}

TEST(Mlp, OneLayerByHand) {
  ModelOptions options;
  options.hidden = options.chunk = 2;
  const auto model = create_model("mlp", {1, 1}, options, 1);
  set_parameter(*model, "input.0.weight", matrix({{2}, {-4}}));
  set_parameter(*model, "input.0.bias", row({0, 3}));
  set_parameter(*model, "input_norm.0.weight", row({3, 5}));
  set_parameter(*model, "input_norm.0.bias", row({1, -1}));
  set_parameter(*model, "output.weight", matrix({{1, 10}}));
  set_parameter(*model, "output.bias", row({7}));
  // The features 1, 0 and 1/2 give [2, -1], [0, 3] and [1, 1]; relu makes the
  // first [2, 0]. The norm of two numbers is their half difference d over
  // sqrt(d^2 + eps), with either sign: d = 1, -3/2 and 0.
  const double u = 1 / std::sqrt(1 + 1e-5), v = 1.5 / std::sqrt(2.25 + 1e-5);
  const auto logit = [](double n) {
    return (3 * n + 1) + 10 * (-5 * n - 1) + 7;
  };
  EXPECT_TRUE(close_to(
      exact_logits(*model, no_edges(3), features_of({{1}, {0}, {0.5}})),
      matrix({{logit(u)}, {logit(-v)}, {-2}})));
}

TEST(Mlp, NeverLooksAtTheGraph) {
  const torch::NoGradGuard no_grad;
  const NodeFeatures features = NodeFeatures::dense(torch::rand({20, 5}));
  const auto model = create_model("mlp", {5, 3}, {}, 4);
  EXPECT_TRUE(torch::equal(model->forward(no_edges(20), features, {}),
                           model->forward(star(20), features, {})));
}

}  // namespace
}  // namespace ordered_gnn::nn
