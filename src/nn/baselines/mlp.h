#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// Classifier that never looks at the graph, with the input network of the
/// Ordered GNN:
///
///   Z_0 = X,  Z_i = LayerNorm(relu(Linear(dropout(Z_i-1))))  for i = 1 .. M
///   logits = Linear(dropout(Z_M))
///
/// With M = 1 it stands for the two-layer MLP among the baselines of "Ordered
/// GNN: Ordering Message Passing to Deal with Heterophily and Over-smoothing"
/// (2023), which says nothing of a norm. Reads mlp-layers (M), hidden and
/// dropout-theta.
extern const MakeModel kMakeMlp;

}  // namespace ordered_gnn::nn
