#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Inductive Representation Learning on Large Graphs" (2017), on whole
/// neighbourhoods instead of samples of them:
///
///   H_0 = X
///   H_k = unit(relu(dropout(H_k-1) S_k + aggregate(dropout(H_k-1) T_k) + b_k))
///   logits = Linear(dropout(H_K))
///
/// which for mean, gcn and sum is W [h ; aggregate(h)] of the paper; unit()
/// divides a row by its length (a zero row stays). The paper's pooling is
/// close to `max`. Reads layers, hidden, aggregator and dropout-theta. Weights
/// are `layers.I.weight` [2 D, in], rows S then T (xi), and `output` (theta).
///
/// Defaults follow the paper and its code: 2 layers of 256, mean aggregation of
/// neighbours without the node itself, Adam at 0.01, neither dropout nor L2.
extern const MakeModel kMakeGraphsage;

}  // namespace ordered_gnn::nn
