#include <gtest/gtest.h>

#include "nn/dense_reference.h"
#include "support/errors.h"

namespace ordered_gnn::nn {
namespace {

ModelOptions towers(int64_t layers, int64_t mlp_layers) {
  ModelOptions options;
  options.layers = layers;
  options.mlp_layers = mlp_layers;
  options.hidden = 3;
  return options;
}

// The layers behind the first of a perceptron; running statistics are those of
// a model that has not been trained.
at::Tensor later_of(const NodeModel& model, const std::string& name,
                    int64_t layers, at::Tensor h) {
  for (int64_t i = 0; i + 1 < layers; ++i) {
    const std::string layer = name + ".later." + std::to_string(i);
    h = affine_of(model, layer + ".linear", h.relu() / std::sqrt(1 + 1e-5));
  }
  return h;
}

TEST(Linkx, IsThatOfDenseMatrices) {
  const Graph graph = directed_seven();
  const NodeFeatures features = features_of_seven(4);
  const at::Tensor x = features.dense_values().to(at::kDouble);
  for (const int64_t layers : {1, 2}) {
    for (const int64_t mlp_layers : {1, 3}) {
      SCOPED_TRACE(std::to_string(layers) + " " + std::to_string(mlp_layers));
      const auto model =
          create_model("linkx", {4, 2, NodeFeatures::Kind::dense, 7},
                       towers(layers, mlp_layers), 3);
      const at::Tensor logits = exact_logits(*model, graph, features);
      const at::Tensor rows = dense_in(graph).matmul(parameter_of(
                                  *model, "adjacency.first.weight")) +
                              parameter_of(*model, "adjacency.first.bias");
      const at::Tensor a = later_of(*model, "adjacency", layers, rows);
      const at::Tensor f = later_of(*model, "input", layers,
                                    affine_of(*model, "input.first", x));
      const at::Tensor both =
          (affine_of(*model, "combine", torch::cat({a, f}, 1)) + a + f).relu();
      EXPECT_TRUE(
          close_to(logits, later_of(*model, "output", mlp_layers,
                                    affine_of(*model, "output.first", both))));
    }
  }
}

TEST(Linkx, HasARowPerNodeAndIsHeldToItsGraph) {
  const auto model = create_model(
      "linkx", {4, 2, NodeFeatures::Kind::sparse, 50}, towers(1, 1), 1);
  EXPECT_EQ(model->named_parameters()["adjacency.first.weight"].sizes(),
            at::IntArrayRef({50, 3}));
  EXPECT_TRUE(is_per_node("linkx", towers(1, 1)));
}

TEST(Linkx, DropsOnlyHiddenLayersOfItsOutput) {
  EXPECT_EQ(find_model("linkx").why_unread(towers(1, 2), "dropout-theta"), "");
  EXPECT_TRUE(
      contains(find_model("linkx").why_unread(towers(2, 1), "dropout-theta"),
               "--mlp-layers 1"));
  const NodeFeatures features = features_of_seven(4);
  ForwardContext training;
  training.training = true;
  for (const int64_t mlp_layers : {1, 2}) {
    ModelOptions options = towers(1, mlp_layers);
    options.dropout_theta = 0.5;
    const auto model =
        create_model("linkx", {4, 2, NodeFeatures::Kind::dense, 7}, options, 1);
    training.step = 1;
    const at::Tensor once =
        model->forward(directed_seven(), features, training);
    training.step = 2;
    EXPECT_EQ(torch::equal(model->forward(directed_seven(), features, training),
                           once),
              mlp_layers == 1);
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
