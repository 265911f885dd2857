#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Learning with Local and Global Consistency" (2004): the labels of training
/// nodes are spread over the graph. With Y_0 one-hot rows of training nodes and
/// zero rows of all others,
///
///   Y <- (1 - a) S Y + a Y_0, K times from Y_0,
///
/// where S = D^-1/2 A D^-1/2 and a is the share of the start, 1 - alpha of the
/// paper, as `alpha` is for every model here. Training labels are not held
/// fixed: every step starts them again with the share a. The logits are the
/// logarithms of a row's shares; a node that no training node reaches has equal
/// ones.
///
/// Reads hops and alpha and no features. There are no parameters and nothing is
/// trained: one epoch is enough. The paper takes a = 0.01 and the limit of the
/// steps, for which 50 stand here, and no loops.
extern const MakeModel kMakeLabelPropagation;

}  // namespace ordered_gnn::nn
