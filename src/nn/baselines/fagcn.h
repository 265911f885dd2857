#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// FAGCN of "Beyond Low-frequency Information in Graph Convolutional Networks"
/// (2021): neighbours are added or taken off, as their attention says. For an
/// edge u -> v and in-degrees d (at least 1):
///
///   h_0 = dropout_theta(relu(Linear(dropout_theta(X))))
///   a_k[u, v] = tanh(<s_k, h_k-1[u]> + <t_k, h_k-1[v]> + b_k)
///   h_k[v] = eps h_0[v]
///            + sum_u dropout_xi(a_k[u, v]) / sqrt(d[u] d[v]) h_k-1[u]
///   logits = Linear(h_K)
///
/// Reads layers (K), hidden, alpha (eps), dropout-theta and dropout-xi, which
/// the paper has at one value. Parameters are `input.0` and `output` (theta),
/// `layers.I.weight` [2, D] (s, then t) and `.bias` [1] (xi); the paper has one
/// L2. Weights start as glorot() times sqrt(2). A node is heard by eps alone,
/// so loops are removed from the graph by default.
///
/// Defaults are those of the authors' code: 2 layers of 32, eps 0.3, dropout
/// 0.5, 500 epochs of Adam at 0.01 with L2 5e-5, patience 200.
extern const MakeModel kMakeFagcn;

}  // namespace ordered_gnn::nn
