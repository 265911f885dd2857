#pragma once
#include "nn/baselines/baseline.h"

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
extern const MakeModel kMakeGcn;

}  // namespace ordered_gnn::nn
