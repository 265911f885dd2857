#include "ordered_gnn/nn/mlp.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/graphs.h"
#include "support/reference_model.h"

namespace ordered_gnn {
namespace {

TEST(Mlp, MatchesThePlainCompositionInForwardAndGradients) {
  OrderedGnnOptions options;
  options.hidden = 12;
  options.mlp_layers = 2;
  options.dropout_theta = 0.4;
  at::manual_seed(1);
  const NodeFeatures features = NodeFeatures::dense(torch::rand({9, 5}));
  Mlp model({5, 3}, options, 4);
  model.to(at::kDouble);
  reference::Parameters copies;
  for (const auto& item : model.named_parameters()) {
    copies[item.key()] = item.value().detach().clone().set_requires_grad(true);
  }
  const ForwardContext context{true, 2, 3};
  const at::Tensor logits = model.forward(no_edges(9), features, context);
  const at::Tensor wanted =
      reference::mlp_logits(options, copies, features, context);
  EXPECT_TRUE(torch::allclose(logits, wanted, 1e-11, 1e-11));
  logits.square().sum().backward();
  wanted.square().sum().backward();
  for (const auto& item : model.named_parameters()) {
    EXPECT_TRUE(torch::allclose(item.value().grad(),
                                copies.at(item.key()).grad(), 1e-9, 1e-10))
        << item.key();
  }
}

TEST(Mlp, NeverLooksAtTheGraph) {
  const torch::NoGradGuard no_grad;
  const NodeFeatures features = NodeFeatures::dense(torch::rand({20, 5}));
  Mlp model({5, 3}, OrderedGnnOptions{}, 4);
  EXPECT_TRUE(torch::equal(model.forward(no_edges(20), features, {}),
                           model.forward(star(20), features, {})));
}

}  // namespace
}  // namespace ordered_gnn
