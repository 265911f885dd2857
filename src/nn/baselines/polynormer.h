#pragma once
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Polynormer: Polynomial-Expressive Graph Transformer in Linear Time" (2024),
/// as its authors' code has it: attention over neighbours, then attention
/// between all nodes, in both of which a product with a linear map raises the
/// degree of the polynomial that a node's state is.
///
///   x_0 = dropout_xi(Linear(dropout_theta(X)))
///   y_k = dropout_xi(relu(attention_k(x_k-1) + x_k-1 R_k))       k = 1 .. K
///   x_k = (1 - b_k) norm(relu(x_k-1 H_k + h_k) * y_k) + b_k y_k
///   S = x_1 + ... + x_K
///
///   z_0 = norm(S)
///   q = sigmoid(z_l-1 Q_l + q_l),  v = z_l-1 V_l + v_l           l = 1 .. L
///   a[n] = sum_m <q[n], q[m]> v[m] / sum_m <q[n], q[m]>          head by head
///   z_l = dropout_xi(relu(Linear((norm(a) * (z_l-1 G_l + g_l + c_l)))))
///
///   logits = Linear(S) while warming up, then Linear(z_L)
///
/// b_k and c_l are sigmoids of vectors that are learned, the Linear after the
/// global attention is one for all its layers, norms are layer norms. Sums over
/// all nodes run in linear time: sum_m q[m] v[m]^T first.
///
/// Training warms up for `local-epochs` steps, in which the logits are local
/// and what comes after S is left alone, see first_step(). The buffer `phase`
/// [1] is 1 from the first global step on, so that evaluation, prediction and
/// checkpoints of the best epoch take the logits that this epoch was trained
/// with. Where the authors start the global steps from the best local epoch,
/// they start from the last one here. `epochs` counts all steps; when no more
/// than `local-epochs` the network is the paper's without global attention.
///
/// Reads layers (K), global-layers (L), hidden, heads (which divide the width),
/// local-epochs, dropout-theta (features) and dropout-xi (everything else).
/// `input` and `output` are theta, all others xi: `layers.I.convolution.*`,
/// `.residual.weight` (R), `.gate.*` (H, h), `.norm.*`, `.beta` [D];
/// `local_output.*`; `global_norm.*`; `attention.I.key.*`, `.value.*`,
/// `.gate.*`, `.norm.*`, `.beta`; `attention_output.*`.
///
/// Defaults are what the authors' settings for the graphs of Amazon and most of
/// the others have in common: 7 layers and 2 global ones, 8 heads of width 64,
/// dropout of the features 0.2, Adam at 0.001, L2 5e-5 and no early stopping;
/// dropout 0.5, 100 local epochs of 1100.
extern const MakeModel kMakePolynormer;

}  // namespace ordered_gnn::nn
