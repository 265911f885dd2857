#pragma once
#include <memory>

#include "ordered_gnn/nn/layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/options.h"

namespace ordered_gnn::nn {

/// Classifier that never looks at the graph, with the input network of the
/// Ordered GNN:
///
///   Z_0 = X,  Z_i = LayerNorm(relu(Linear(dropout(Z_i-1))))  for i = 1 .. M
///   logits = Linear(dropout(Z_M))
///
/// With M = 1 it stands for the two-layer MLP among the baselines of "Ordered
/// GNN: Ordering Message Passing to Deal with Heterophily and Over-smoothing"
/// (2023), which says nothing of a norm. Reads mlp-layers (M), hidden and
/// dropout-theta.
class Mlp : public NodeModel {
 public:
  Mlp(const ModelShape& shape, const OrderedGnnOptions& options, int64_t seed);

  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  at::Tensor classify(const at::Tensor& state) const override;

 private:
  OrderedGnnOptions options_;
  std::unique_ptr<InputNetwork> input_;
  std::shared_ptr<Affine> output_;
};

}  // namespace ordered_gnn::nn
