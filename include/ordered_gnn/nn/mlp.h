#pragma once
#include <memory>

#include "ordered_gnn/nn/layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/options.h"

namespace ordered_gnn {

/// Classifier that never looks at the graph: Linear(dropout(f_theta(x))) with
/// the input network of the Ordered GNN, so mlp_layers = 1 is a two-layer MLP.
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

}  // namespace ordered_gnn
