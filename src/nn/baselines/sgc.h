#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Simplifying Graph Convolutional Networks" (2019):
///
///   logits = Â^K X W + b
///
/// with Â of GraphConvolution, computed as Â (Â (... (X W))): classes are fewer
/// than features, and features of any kind will do. Reads hops (K) and
/// dropout-theta, of X. Parameters are `output` (theta); there are no
/// embeddings besides the logits.
///
/// Defaults are those of the paper: 2 hops, 100 epochs of Adam at 0.2 without
/// dropout; its L2, tuned per graph there, is 5e-6, that of its code.
extern const MakeModel kMakeSgc;

}  // namespace ordered_gnn::nn
