#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Simple and Deep Graph Convolutional Networks" (2020), GCNII:
///
///   H_0 = relu(Linear(dropout_theta(X)))
///   R_k = (1 - alpha) Â dropout_xi(H_k-1) + alpha H_0     initial residual
///   H_k = relu((1 - beta_k) R_k + beta_k R_k W_k)         identity mapping
///   logits = Linear(dropout_theta(H_K))
///
/// with beta_k = log(lambda / k + 1) and Â of GraphConvolution. GCNII* has a
/// weight each for the two parts of R_k:
///
///   R_k W_k  becomes  (1 - alpha) Â dropout_xi(H_k-1) U_k + alpha H_0 V_k
///
/// Reads layers (K), hidden, alpha, lambda, dropout-theta and dropout-xi. Dense
/// layers are `input.0` and `output` (theta), convolutions `layers.I` (xi; for
/// GCNII* columns U then V), with an L2 each as in the paper.
///
/// Defaults are those of the paper on Cora: 64 layers of 64, alpha 0.1, lambda
/// 0.5, dropout 0.6, L2 5e-4 and 0.01, Adam at 0.01, 1500 epochs, patience 100.
extern const MakeModel kMakeGcnii;
extern const MakeModel kMakeGcniiStar;

}  // namespace ordered_gnn::nn
