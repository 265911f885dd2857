#pragma once
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// "Semi-Supervised Classification with Graph Convolutional Networks" (2017):
///
///   H_0 = X,  H_k = relu(Â dropout(H_k-1) W_k + b_k)  for k < K
///   logits = Â dropout(H_K-1) W_K + b_K
///
/// with Â of GraphConvolution. One layer is a linear model of X and its
/// neighbours. Reads layers, hidden and dropout-theta. W_1 is `input.0` (theta,
/// the only layer with L2 in the paper), the others `layers.I` (xi).
///
/// Defaults are those of the paper: 2 layers of width 16, dropout 0.5, 200
/// epochs of Adam at 0.01. Its early stopping by validation loss is replaced by
/// the best of all epochs.
class Gcn : public NodeModel {
 public:
  Gcn(const ModelShape& shape, const ModelOptions& options, int64_t seed);
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  static Json defaults();

 private:
  ModelOptions options_;
  std::vector<std::shared_ptr<GraphConvolution>> layers_;
};

}  // namespace ordered_gnn::nn
