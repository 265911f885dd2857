#pragma once
#include "nn/baselines/baseline.h"

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
extern const MakeModel kMakeJknet;

/// @throws UsageError for layers of attention, and for no jumping at all.
void check_jknet(const ModelOptions& options);

}  // namespace ordered_gnn::nn
