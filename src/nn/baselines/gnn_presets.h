#pragma once
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// The ablation of "Ordered GNN: Ordering Message Passing to Deal with
/// Heterophily and Over-smoothing" (2023) as systems of their own: the Ordered
/// GNN with one gating, whatever --gating says.
///
///   h_v = f_theta(x_v)                              see InputNetwork
///   for k in 1..K, at every node v:
///     h_v = dropout_xi(h_v)
///     m_v = 1 / |N(v)| sum_{u in N(v)} h_u          or another aggregator
///     gated GNN, the paper's "+ simple gating":
///       g_v    = sigmoid(W_k [h_v ; m_v] + b_k)     G = D / C gates
///       c_v[d] = g_v[d / C] h_v[d] + (1 - g_v[d / C]) m_v[d]
///     bare GNN:
///       c_v    = m_v
///     h_v = norm(c_v)                               + h_v with residual
///   logits_v = Linear(dropout_theta(h_v))
///
/// No gate depends on another one or on those of the layer before: order and
/// SOFTOR are what the Ordered GNN adds. A transform writes its candidate in
/// place of m_v, see OrderedGnn. The paper takes the gated one for the
/// Gated GNN (2015) with mean aggregation; there is no reset gate here and no
/// transformation of m_v. With tied gates (W, b) is one parameter for all
/// layers. The bare GNN reads neither chunk nor tied-gates; everything else is
/// as in OrderedGnn.
OrderedGnnOptions with_simple_gates(const ModelOptions& options);
OrderedGnnOptions without_gates(const ModelOptions& options);

}  // namespace ordered_gnn::nn
