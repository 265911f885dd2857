#include <gtest/gtest.h>

#include <cmath>

#include "core/affixes.h"
#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(Gcn, TwoLayersByHand) {
  const auto model = hand_made("gcn", {{"layers", 2}, {"hidden", 2}},
                               {{"input.0.weight", matrix({{2}, {-4}})},
                                {"input.0.bias", row({0, 3})},
                                {"layers.0.weight", matrix({{1, 10}})},
                                {"layers.0.bias", row({7})}});
  // Only node 0 has a feature, so the first layer reads column 0 of Â: 1/2 for
  // node 0 itself, 1/sqrt(2 * 3) for node 1 and nothing for node 2.
  const double r = 1 / std::sqrt(6.0);
  // relu of [2 a, 3 - 4 a] for a = 1/2, r, 0, then [1, 10] times it.
  const double z0 = 1 + 10 * 1, z1 = 2 * r + 10 * (3 - 4 * r), z2 = 30;
  const at::Tensor expected = matrix({{z0 / 2 + r * z1 + 7},
                                      {r * z0 + z1 / 3 + r * z2 + 7},
                                      {r * z1 + z2 / 2 + 7}});
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::add),
                                    features_of({{1}, {0}, {0}})),
                       expected));
}

TEST(Gcn, OnlyTheFirstLayerIsTheta) {
  ModelOptions options;
  options.layers = 3;
  const auto model = create_model("gcn", {4, 2}, options, 1);
  for (const auto& item : model->named_parameters()) {
    EXPECT_EQ(NodeModel::role_of(item.key()) == ParameterRole::theta,
              core::starts_with(item.key(), "input.0."))
        << item.key();
  }
  EXPECT_EQ(find_model("gcn").defaults.at("l2-xi"), 0);
}

}  // namespace
}  // namespace ordered_gnn::nn
