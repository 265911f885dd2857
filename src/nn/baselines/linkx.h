#pragma once
#include <string>

#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// LINKX of "Large Scale Learning on Non-Homophilous Graphs: New Benchmarks and
/// Strong Simple Methods" (2021): a perceptron of a node's row of the adjacency
/// and one of its features, put together by a third:
///
///   h_A[v] = later(sum_{u in N(v)} W[u] + b)
///   h_X    = later(Linear(X))
///   logits = output(relu(V [h_A ; h_X] + c + h_A + h_X))
///
/// A perceptron of n layers is Linear, then n - 1 times Linear(dropout(norm(
/// relu(h)))) with batch norm; later() is what follows its first Linear. The
/// towers A and X have `layers` layers and no dropout, the output has
/// `mlp-layers` and dropout-theta. All layers are `hidden` wide.
///
/// Reads layers, hidden, mlp-layers and dropout-theta. W is
/// `adjacency.first.weight` [N, D], one row per node, so that a trained model
/// is good for its own graph only; no N x N matrix is built. Its tower and
/// `combine` are xi, `input.*` (the tower of features) and `output.*` theta;
/// the paper has one decay.
///
/// Defaults are of the paper's grid: towers of one layer, an output of two,
/// width 128 (it tries 16 to 256), dropout 0.5, 500 epochs of Adam at 0.01
/// with L2 0.001, which the paper decays apart from the gradient.
extern const MakeModel kMakeLinkx;

/// ModelEntry::why_unread: an output of one layer drops nothing.
std::string unread_by_linkx(const ModelOptions& options,
                            const std::string& option);

}  // namespace ordered_gnn::nn
