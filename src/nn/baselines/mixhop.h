#pragma once
#include "nn/baselines/baseline.h"

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
extern const MakeModel kMakeMixhop;

/// @throws UsageError unless the number of powers divides the width.
void check_mixhop(const ModelOptions& options);

}  // namespace ordered_gnn::nn
