#pragma once
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/baselines/jumping.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// "Representation Learning on Graphs with Jumping Knowledge Networks" (2018):
///
///   H_0 = X,  H_k = relu(convolution_k(dropout(H_k-1))),  k = 1 .. K
///   J = [H_1 ; ... ; H_K], their element-wise maximum, or their sum with
///       shares that a bi-directional LSTM gives each node (see Jumping)
///   logits = Linear(dropout(J))
///
/// with GraphConvolution, or with SageConvolution, which tells a node from its
/// neighbours and is the better one where they differ. Reads layers, hidden,
/// convolution (and aggregator for that of GraphSAGE), jumping, dropout-theta.
/// The first layer is `input.0` and the classifier `output` (theta), the others
/// `layers.I` and the LSTM `jumping.*` (xi); the paper has one L2.
///
/// Defaults are the paper's for Cora: 6 layers, concatenated, of width 16 (it
/// takes 16 or 32), dropout 0.5, L2 5e-4, Adam at 0.005.
class JkNet : public NodeModel {
 public:
  JkNet(const ModelShape& shape, const ModelOptions& options, int64_t seed);
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  static Json defaults();
  /// @throws UsageError for layers of attention, and for no jumping at all.
  static void check(const ModelOptions& options);

 private:
  ModelOptions options_;
  std::vector<std::shared_ptr<Convolution>> layers_;
  std::unique_ptr<JumpingStates> jumping_;
  std::shared_ptr<Affine> output_;
};

}  // namespace ordered_gnn::nn
