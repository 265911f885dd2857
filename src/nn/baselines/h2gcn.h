#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Beyond Homophily in Graph Neural Networks: Current Limitations and
/// Effective Designs" (2020):
///
///   R_0 = relu(X W)
///   R_k = [Ā_1 R_k-1 ; Ā_2 R_k-1],  k = 1 .. K
///   logits = dropout([R_0 ; R_1 ; ... ; R_K]) V
///
/// Ā_1 and Ā_2 are the symmetrically normalised adjacencies of the neighbours
/// and of the nodes exactly two hops away (Graph::two_hop(), built once per
/// graph); a node is its own neighbour in neither, so loops are removed by
/// default. R_k is 2^k times as wide as R_0. Reads layers (K, 1 or 2 rounds in
/// the paper), hidden and dropout-theta. W is `input.0`, V `output` (theta).
///
/// Defaults are those of the paper's H2GCN-2: 2 rounds, width 64, dropout 0.5,
/// L2 5e-4, 500 epochs of Adam at 0.01.
extern const MakeModel kMakeH2gcn;

/// @throws UsageError for more than 8 rounds, as their width doubles.
void check_h2gcn(const ModelOptions& options);

}  // namespace ordered_gnn::nn
