#pragma once
#include <string>

#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Classic GNNs are Strong Baselines: Reassessing GNNs for Node
/// Classification" (2024): a deep stack of graph convolutions, GraphSAGE layers
/// or attention, each with a linear map of its input beside it and a norm.
///
///   H_0 = X
///   for k in 1..K:
///     H_k = dropout(relu(norm_k(convolution_k(H_k-1) + H_k-1 R_k + r_k)))
///   logits = Linear(H_K)
///
/// without the R_k and r_k where residual is off. Reads layers, hidden,
/// convolution (with aggregator for GraphSAGE; heads, which must divide the
/// width, and dropout-xi of the attention for GAT), norm, residual and
/// dropout-theta. Parameters are `layers.I.convolution.*`, `.residual.*` and
/// `.norm.*` (xi) and `output` (theta); the paper has one L2.
///
/// The paper searches its settings for every graph; the defaults are values
/// that many of its choices share: 4 layers of width 256, batch norm, residual,
/// dropout 0.5, Adam at 0.001, L2 5e-4 and one attention head.
extern const MakeModel kMakeTunedGnn;

/// @throws UsageError unless heads divide the width of attention.
void check_tuned_gnn(const ModelOptions& options);

/// ModelEntry::why_unread: what only one kind of layers has.
std::string unread_by_tuned_gnn(const ModelOptions& options,
                                const std::string& option);

}  // namespace ordered_gnn::nn
