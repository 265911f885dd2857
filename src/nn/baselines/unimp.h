#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// UniMP: "Masked Label Prediction: Unified Message Passing Model for
/// Semi-Supervised Classification" (2021). The model is told labels of training
/// nodes and predicts those of the others: a training step tells a random share
/// (`label-rate`) of them and its loss is on the rest; evaluation tells all.
///
///   h_0 = dropout_theta(X) + Y_known E
///
/// with Y_known one-hot rows (zeros where nothing is known). A layer of graph
/// transformer with H heads of width d, for the head i and an edge u -> v:
///
///   q, k, v, r = h W_q^T + b_q, ..., h W_r^T + b_r
///   a_i[u, v] = softmax_u(<q_i[v], k_i[u]> / sqrt(d))
///   m_i[v] = sum_u dropout_xi(a_i[u, v]) v_i[u]
///   g = sigmoid([m ; r ; m - r] w_g),   y = (1 - g) m + g r
///
/// All layers but the last put the heads side by side and give
/// relu(LayerNorm(y)), the input of the next with dropout_theta; the last has
/// heads of the width of the classes and takes the mean of them.
///
/// Reads layers, hidden (H d, so heads must divide it), heads, label-rate,
/// dropout-theta and dropout-xi. Parameters are `label.weight` [classes, F]
/// (E), `layers.I.weight` [3 H d + out, in] (W_q, W_k, W_v, W_r), `.bias`,
/// `.gate` [3 out] and, in all layers but the last, `.norm.weight|bias` (xi). X
/// + Y E is not built: its products are X W^T + Y (E W^T), so sparse features
/// stay sparse.
///
/// Defaults are those of the paper for ogbn-arxiv, as remembered: 3 layers, 2
/// heads of 128, label rate 0.625, dropout 0.3, Adam at 0.001, L2 5e-4. The
/// authors' dropout also acts on the embedded labels, ours on the features
/// alone.
extern const MakeModel kMakeUnimp;

}  // namespace ordered_gnn::nn
