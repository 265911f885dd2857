#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Predict then Propagate: Graph Neural Networks meet Personalized PageRank"
/// (2019):
///
///   Z_0 = H = MLP(X)                                       see PlainMlp
///   Z_k = (1 - alpha) Â_k Z_k-1 + alpha H,  k = 1 .. K
///   logits = Z_K
///
/// Â_k is Â of GraphConvolution; while training its entries are dropped out
/// with rate dropout-xi, anew for every k. Reads hops (K), alpha, mlp-layers,
/// hidden, dropout-theta and dropout-xi. The first layers are `input.I` (theta,
/// the only ones with L2 in the paper), the last is `last` (xi).
///
/// Defaults are those of the paper: 10 hops, alpha 0.1, a hidden layer of 64,
/// dropout 0.5, L2 0.005, Adam at 0.01, patience 100.
extern const MakeModel kMakeAppnp;

}  // namespace ordered_gnn::nn
