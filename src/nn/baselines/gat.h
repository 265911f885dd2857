#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Graph Attention Networks" (2018), layers of AttentionConvolution with
/// dropout-theta of inputs and dropout-xi of attention. All layers but the last
/// give elu([y_1 ; ... ; y_H] + b); the last, with output-heads of the width of
/// the classes, gives the mean of its heads + b.
///
/// Reads layers, hidden (H d, so heads must divide it), heads, output-heads,
/// dropout-theta and dropout-xi. Parameters are `layers.I.weight` [H d, in],
/// `.source` and `.target` [H, d] and `.bias` (xi).
///
/// Defaults are those of the paper: 2 layers, 8 heads of 8, one output head,
/// dropout 0.6 of inputs and attention, L2 5e-4, Adam at 0.005, patience 100.
extern const MakeModel kMakeGat;

}  // namespace ordered_gnn::nn
