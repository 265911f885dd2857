#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// FSGNN of "Improving Graph Neural Networks with Simple Architecture Design"
/// (2021): the features of every hop, with and without the nodes in between,
/// each with a map and a share of its own:
///
///   x_0 = X,  x_k = Â^k X,  x_K+k = Ã^k X       k = 1 .. K
///   h_j = share_j unit(x_j W_j + b_j),  share = softmax(s),  j = 0 .. 2 K
///   logits = Linear(dropout(relu([h_0 ; ... ; h_2K])))
///
/// Â = D^-1/2 A D^-1/2 and Ã = (D + 1)^-1/2 (A + 1) (D + 1)^-1/2 with the
/// in-degrees D of the graph (at least 1 in the former), which should have no
/// loops; unit() divides rows by their length with --unit-rows, which the paper
/// calls hop normalisation. Computed as Â^k (X W_k): widths are smaller than
/// features, and these stay sparse. Reads hops (K), hidden, unit-rows and
/// dropout-theta. All W and b are `input.0` [(2 K + 1) D, F], `output` is theta
/// as well, s is `shares` (xi) and starts at ones.
///
/// Defaults are those of the authors' code for Cora: 3 hops, width 64, rows of
/// length 1, dropout 0.6, Adam at 0.01 for 1500 epochs, patience 100, L2 0.1
/// for s and 0.001 for W (0.0001 for the last layer there).
extern const MakeModel kMakeFsgnn;

}  // namespace ordered_gnn::nn
