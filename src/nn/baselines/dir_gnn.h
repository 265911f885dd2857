#pragma once
#include <string>

#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Edge Directionality Improves Learning on Heterophilic Graphs" (2023): a
/// node hears those whose edges lead to it and those that its own edges lead
/// to, each with weights of their own. With A[u, v] = 1 for an edge u -> v,
/// in-degrees i and out-degrees o (at least 1):
///
///   gcn   y = (1 - a) P^T x S + a P x T + b,     P = O^-1/2 A I^-1/2
///   sage  y = x R + (1 - a) I^-1 A^T x S + a O^-1 A x T + b
///
///   H_0 = X
///   H_k = unit(dropout(relu(layer_k(H_k-1)))),  k = 1 .. K
///   logits = Linear(J), J the states put together as --jumping says
///
/// where unit() divides rows by their length with --unit-rows and does nothing
/// without. With --jumping none there is no output layer: the last layer gives
/// the logits as they are. Edges are those of the graph as it is read: with
/// --direction as_stored, a is the share of the neighbours that a node's edges
/// lead to, as in the paper; with --direction reversed it is the other way
/// round. On a graph whose edges all run both ways the two neighbourhoods are
/// one, and the network a GCN or GraphSAGE with two weights to choose from.
///
/// A pass shows no layers (ForwardTrace::on_layer): their messages also run
/// against the edges, so that what a node hears is not found along its in-edges
/// alone.
///
/// Reads layers, hidden, convolution (gcn or sage), alpha (a), jumping,
/// unit-rows and dropout-theta. `layers.I.weight` (xi) holds the rows of R, S
/// and T one below the other, but for what has no share (S for a = 1, T for
/// a = 0); `output` is theta. All start as those of torch.nn.Linear. The last
/// layer before J is as wide as the others.
///
/// Defaults are what the authors' settings for Chameleon and Squirrel have in
/// common: width 128, the maximum over layers, rows of length 1, no dropout, no
/// L2, patience 400, and 5 layers and Adam at 0.005 of the former; a is 0.5.
extern const MakeModel kMakeDirGnn;

/// @throws UsageError for layers of attention, which it has not.
void check_dir_gnn(const ModelOptions& options);

/// ModelEntry::why_unread: what an output layer would read.
std::string unread_by_dir_gnn(const ModelOptions& options,
                              const std::string& option);

}  // namespace ordered_gnn::nn
