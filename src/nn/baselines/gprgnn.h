#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Adaptive Universal Generalized PageRank Graph Neural Network" (2021):
///
///   H = MLP(X)                                             see PlainMlp
///   logits = sum_k gamma_k Â^k dropout_xi(H),  k = 0 .. K
///
/// with learned gamma, which starts as HopWeights say and may become negative,
/// and Â of GraphConvolution. Reads hops (K), alpha, hop-weights, mlp-layers,
/// hidden, dropout-theta and dropout-xi. The MLP is `input.I` and `output`
/// (theta), `gamma` is xi, without L2 in the paper.
///
/// Defaults are those of the paper where it does not tune: 10 hops, a hidden
/// layer of 64, dropout 0.5, L2 5e-4, 1000 epochs, patience 200; alpha 0.1,
/// Adam at 0.01 and the dropout 0.5 of H are from the middle of its ranges.
extern const MakeModel kMakeGprgnn;

}  // namespace ordered_gnn::nn
