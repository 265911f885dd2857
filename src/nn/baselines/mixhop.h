#pragma once
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// "MixHop: Higher-Order Graph Convolutional Architectures via Sparsified
/// Neighborhood Mixing" (2019):
///
///   H_0 = X
///   H_k = relu(norm([x W_k,0 ; Â x W_k,1 ; ... ; Â^P x W_k,P])),  k < K
///   logits = sum_j softmax(q)_j Â^j x W_K,j
///
/// where x = dropout(H_k-1), with dropout-theta for X and dropout-xi else, and
/// Â of GraphConvolution; powers are repeated propagations of what is already
/// multiplied. The paper tunes the share of each power in the width; here they
/// are equal. Reads layers (K), hops (P), hidden (P + 1 must divide it), norm,
/// dropout-theta and dropout-xi. Parameters are `input.0.weight` for W_1
/// (theta) and `layers.I.weight` for the others, rows in the order of powers,
/// `norms.I` and `shares` for q (xi).
///
/// Defaults are the paper's for Cora: 2 layers, width 60, powers 0 to 2, batch
/// norm, dropout 0.5 and 0.9, L2 0.005, patience 200; Adam at 0.01 replaces its
/// gradient descent at 1.
class MixHop : public NodeModel {
 public:
  MixHop(const ModelShape& shape, const ModelOptions& options, int64_t seed);
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  static Json defaults();
  /// @throws UsageError unless the number of powers divides the width.
  static void check(const ModelOptions& options);

 private:
  ModelOptions options_;
  std::vector<std::shared_ptr<Weight>> layers_;
  std::vector<std::shared_ptr<Normalization>> norms_;
  at::Tensor shares_;
};

}  // namespace ordered_gnn::nn
