#include "ordered_gnn/nn/models.h"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include "ordered_gnn/core/error.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

TEST(Models, EveryEntryOfTheTableOverfitsATinyGraph) {
  const Graph graph = random_graph(12, 30, 2);
  const NodeFeatures features = NodeFeatures::identity(12);
  const at::Tensor labels = torch::arange(12, at::kLong).remainder(3);
  OrderedGnnOptions options;
  options.layers = 2;
  options.hidden = 16;
  options.dropout_theta = options.dropout_xi = 0;
  for (const ModelEntry& entry : model_table()) {
    const auto model = create_model(
        entry.name, {12, 3, NodeFeatures::Kind::identity}, options, 1);
    torch::optim::Adam adam(model->parameters(),
                            torch::optim::AdamOptions(0.02));
    for (int step = 0; step < 150; ++step) {
      adam.zero_grad();
      torch::nn::functional::cross_entropy(
          model->forward(graph, features, {true, 1, step}), labels)
          .backward();
      adam.step();
    }
    const at::Tensor predicted = model->forward(graph, features, {}).argmax(1);
    EXPECT_TRUE(torch::equal(predicted, labels)) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
  }
}

TEST(Models, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    create_model("orderd_gnn", {3, 2}, {}, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'ordered_gnn'"),
              std::string::npos);
  }
}

TEST(Models, ParametersFallIntoTheirGroupsByName) {
  EXPECT_EQ(NodeModel::role_of("input.0.weight"), ParameterRole::theta);
  EXPECT_EQ(NodeModel::role_of("output.bias"), ParameterRole::theta);
  EXPECT_EQ(NodeModel::role_of("input_norm.0.weight"),
            ParameterRole::input_norm);
  EXPECT_EQ(NodeModel::role_of("layers.3.gate.weight"), ParameterRole::xi);
  EXPECT_EQ(NodeModel::role_of("gate.bias"), ParameterRole::xi);
  EXPECT_EQ(NodeModel::role_of("layers.0.norm.bias"), ParameterRole::xi);
}

}  // namespace
}  // namespace ordered_gnn
