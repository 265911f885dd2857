#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// GCN with residual connections, ResGCN of "DeepGCNs: Can GCNs Go as Deep as
/// CNNs?" (2019) in the form of "DropEdge: Towards Deep Graph Convolutional
/// Networks on Node Classification" (2020):
///
///   H_1 = relu(Â dropout(X) W_1 + b_1)
///   H_k = relu(Â dropout(H_k-1) W_k + b_k) + H_k-1,  1 < k < K
///   logits = Â dropout(H_K-1) W_K + b_K
///
/// with Â of GraphConvolution; two layers are a GCN. Reads layers, hidden and
/// dropout-theta. W_1 is `input.0` and W_K `output` (theta), the others
/// `layers.I` (xi); the paper has one L2.
///
/// Defaults: width 128, dropout 0.5 and 400 epochs as in DropEdge, whose code
/// trains with Adam at 0.01 and L2 0.001 on Cora; 4 of its 2 to 64 layers.
extern const MakeModel kMakeResgcn;

/// @throws UsageError unless there are two layers.
void check_resgcn(const ModelOptions& options);

}  // namespace ordered_gnn::nn
