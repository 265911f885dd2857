#pragma once
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/models.h"
#include "support/tensors.h"

namespace ordered_gnn::explain {

constexpr int64_t kExplainedFeatures = 5;
constexpr int64_t kExplainedClasses = 3;

/// A dataset around a graph: random dense features, labels 0, 1, 2, 0, ... and
/// every fifth node unlabelled; one split of which the last node is no part.
inline NodeDataset explained_data(const Graph& graph) {
  const int64_t nodes = graph.num_nodes();
  NodeDataset data;
  data.name = "explained";
  data.graph = graph;
  data.features = NodeFeatures::dense(
      random_tensor({nodes, kExplainedFeatures}, at::kFloat, 11));
  const at::Tensor ids = torch::arange(nodes, at::kLong);
  data.labels =
      torch::where(ids.remainder(5).eq(4), torch::full({nodes}, -1, at::kLong),
                   ids.remainder(kExplainedClasses));
  data.num_classes = kExplainedClasses;
  const auto every_third = [&](int64_t first) {
    const at::Tensor here = ids.slice(0, 0, nodes - 1);
    return here.masked_select(here.remainder(3).eq(first)).contiguous();
  };
  data.splits = {{every_third(0), every_third(1), every_third(2)}};
  return data;
}

inline std::shared_ptr<NodeModel> explained_model(const std::string& name,
                                                  const NodeDataset& data,
                                                  const ModelOptions& options) {
  return create_model(name,
                      {data.features.num_features(), data.num_classes,
                       data.features.kind(), data.num_nodes()},
                      options, 5);
}

/// Sizes that suit small graphs.
inline ModelOptions explained_options(int64_t layers = 3) {
  ModelOptions options;
  options.layers = layers;
  options.hidden = 12;
  options.chunk = 3;
  return options;
}

/// Sets the bias of all gates of an Ordered GNN, so that the input of the gates
/// does not matter beside it.
inline void set_gate_bias(NodeModel& model, const std::vector<float>& bias) {
  const torch::NoGradGuard no_grad;
  for (auto& item : model.named_parameters()) {
    if (item.key().find("gate.bias") == std::string::npos) continue;
    item.value().copy_(torch::tensor(bias));
  }
}

}  // namespace ordered_gnn::explain
