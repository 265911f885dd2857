#pragma once
#include <memory>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// "Simplifying Graph Convolutional Networks" (2019):
///
///   logits = Â^K X W + b
///
/// with Â of GraphConvolution, computed as Â (Â (... (X W))): classes are fewer
/// than features, and features of any kind will do. Reads hops (K) and
/// dropout-theta, of X. Parameters are `output` (theta); there are no
/// embeddings besides the logits.
///
/// Defaults are those of the paper: 2 hops, 100 epochs of Adam at 0.2 without
/// dropout; its L2, tuned per graph there, is 5e-6, that of its code.
class Sgc : public NodeModel {
 public:
  Sgc(const ModelShape& shape, const ModelOptions& options, int64_t seed);
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  at::Tensor classify(const at::Tensor& state) const override;
  static Json defaults();

 private:
  ModelOptions options_;
  std::shared_ptr<Affine> output_;
};

}  // namespace ordered_gnn::nn
