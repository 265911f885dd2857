#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// Logistic regression on a node's row of the adjacency, LINK of "To Join or
/// Not to Join: The Illusion of Privacy in Social Networks with Mixed Public
/// and Private User Profiles" (2009):
///
///   logits[v] = sum_{u in N(v)} W[u] + b
///
/// Features are not read; neither is any option of the network. W is
/// `output.weight` [N, C], one row per node, so a trained model is good for its
/// own graph only; no N x N matrix is built. The paper has no hyper-parameters:
/// the defaults, Adam at 0.01 with L2 0.001, are from the ranges of "Large
/// Scale Learning on Non-Homophilous Graphs" (2021).
extern const MakeModel kMakeLink;

}  // namespace ordered_gnn::nn
