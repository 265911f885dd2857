#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// ACM-GCN of "Revisiting Heterophily For Graph Neural Networks" (2022). A
/// layer has three channels, what neighbours agree on, what a node differs in
/// from them and the node itself, and every node mixes them in its own way:
///
///   L = relu(Â x U),  H = relu((1 - Â) x V),  I = relu(x W)
///   s = sigmoid([<l, L> ; <h, H> ; <i, I>])     of every node
///   c = softmax(s M / 3)
///   y = 3 (c_1 L + c_2 H + c_3 I)
///
///   H_0 = X,  H_k = relu(layer_k(dropout(H_k-1))),  logits = y_K
///
/// Â is D^-1 A with --aggregator mean, as the authors' code has it, and
/// D^-1/2 A D^-1/2 with gcn; a node should be its own neighbour (--self-loops
/// add). Reads layers (K), hidden, aggregator and dropout-theta. Parameters are
/// `layers.I.weight` [3 out, in] (U, V, W one below the other), `.scores`
/// [3, out] (l, h, i) and `.mix` [3, 3] (M^T), all of xi: the paper has one L2.
/// They are drawn uniformly from +-1/sqrt(out), +-1 and +-1/sqrt(3).
///
/// Defaults are those of the authors' code: 2 layers, width 64, Adam at 0.05,
/// L2 0.001, early stopping after 200 epochs; dropout, 0 there, is 0.5 of its
/// grid.
extern const MakeModel kMakeAcmGcn;

/// @throws UsageError for an aggregator that is no average of neighbours.
void check_acm_gcn(const ModelOptions& options);

}  // namespace ordered_gnn::nn
