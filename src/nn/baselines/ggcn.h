#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Two Sides of the Same Coin: Heterophily and Oversmoothing in Graph
/// Convolutional Neural Networks" (2022). Messages are signed by the cosine of
/// their ends and corrected for the degrees d (loops included) of an edge
/// j -> i, j not i:
///
///   z = h W + b
///   tau_ij = softplus(p_0 (sqrt(d_j / d_i) - 1) + p_1)
///   w_ij = tau_ij cos(z_i, z_j) / sqrt(d_i d_j)
///   y_i = softplus(q) (c_0 sum_j max(w_ij, 0) z_j + c_1 sum_j min(w_ij, 0) z_j
///                      + c_2 z_i),  c = softmax(r)
///
/// and layers are added up with a weight that decays with the depth:
///
///   x = dropout(X),  S_1 = elu(Linear(x)),  Y_1 = layer_1(x)
///   S_2 = S_1 + dropout(elu(Y_1))
///   S_k = S_k-1 + log(lambda / k^exponent + 1) dropout(elu(Y_k-1)),  k > 2
///   Y_k = layer_k(S_k),  logits = Y_K
///
/// Reads layers (K, at least 2), hidden, lambda, exponent and dropout-theta.
/// Parameters are `input.0` (theta) and `layers.I.weight|bias|degree|scale|
/// shares` for W, b, p, q, r (xi); the paper has one L2. Loops should be added
/// to the graph: they count in the degrees and carry no message.
///
/// Defaults are the paper's for Cora: 32 layers of 16, lambda 0.9, exponent 3,
/// dropout 0.5, L2 0.001, Adam at 0.01, 1500 epochs, patience 100.
extern const MakeModel kMakeGgcn;

/// @throws UsageError unless there are two layers.
void check_ggcn(const ModelOptions& options);

}  // namespace ordered_gnn::nn
