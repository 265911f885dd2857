#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// IncepGCN of "DropEdge: Towards Deep Graph Convolutional Networks on Node
/// Classification" (2020): branches of every depth side by side,
///
///   H = relu(Â dropout(X) W + b)
///   B_j = H after j graph convolutions with relu, each with weights of its own
///   logits = Â dropout([H ; B_1 ; ... ; B_K-2]) V + c
///
/// with Â of GraphConvolution and dropout before each of them. K counts the
/// layers on the longest way; two layers are a GCN. Reads layers (K), hidden
/// and dropout-theta. W is `input.0` and V `output` (theta), branch j is
/// `branches.J.I` (xi), counted from 0; the paper has one L2.
///
/// Defaults are those of its code on Cora: 8 layers, width 128, dropout 0.5, L2
/// 0.001, 400 epochs of Adam at 0.01.
extern const MakeModel kMakeIncepgcn;

/// @throws UsageError unless there are 2 to 128 layers.
void check_incepgcn(const ModelOptions& options);

}  // namespace ordered_gnn::nn
