#pragma once
#include <memory>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// Logistic regression on a node's row of the adjacency, LINK of "To Join or
/// Not to Join: The Illusion of Privacy in Social Networks with Mixed Public
/// and Private User Profiles" (2009):
///
///   logits[v] = sum_{u in N(v)} W[u] + b
///
/// Features are not read; neither is any option of the network. W is
/// `output.weight` [N, C], one row per node, so a trained model is good for its
/// own graph only; no N x N matrix is built. The paper has no hyper-parameters:
/// the defaults, Adam at 0.01 with L2 0.001, are from the ranges of "Large
/// Scale Learning on Non-Homophilous Graphs" (2021).
class Link : public NodeModel {
 public:
  Link(const ModelShape& shape, const ModelOptions& options, int64_t seed);
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  bool needs_whole_graph() const override { return true; }
  static Json defaults();

 private:
  std::shared_ptr<RowPerNode> output_;
};

}  // namespace ordered_gnn::nn
