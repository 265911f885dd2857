#pragma once
#include <ATen/core/Tensor.h>

#include <string>

namespace ordered_gnn {

/// The ablation ladder of the combine stage.
enum class Gating {
  none,     ///< h' = m, no gate at all
  simple,   ///< g = sigmoid(logits), every gate on its own
  ordered,  ///< g = cumax(logits), a split point per node
  softor,   ///< ordered, and a neuron once owned by the node stays owned
};

std::string to_string(Gating gating);
/// @throws UsageError that lists the known names.
Gating parse_gating(const std::string& name);

struct OrderedGateResult {
  at::Tensor h;     ///< [N, D] combined state
  at::Tensor gate;  ///< [N, G], the next layer's `prev_gate`
};

/// Gate and combine stage of one layer, with C = D / G neurons per gate:
///
///   cumax    ghat[l] = sum_{i >= l} softmax(logits)[i]   never rises along l
///   softor   g = prev_gate + (1 - prev_gate) * ghat      an open gate stays so
///   combine  h'[d] = g[d / C] * h[d] + (1 - g[d / C]) * m[d]
///
/// Gating::ordered takes g = ghat, Gating::simple g = sigmoid(logits); both
/// ignore prev_gate. Differentiable in all tensors that are read.
///
/// @param gating     one of simple, ordered, softor.
/// @param logits     [N, G]; G must divide D.
/// @param prev_gate  [N, G]; zeros before the first layer.
/// @param h          [N, D] current state, float32 or float64.
/// @param m          [N, D] aggregated neighbours, see mean_aggregate().
/// @throws c10::Error when shapes, dtypes or devices do not match.
OrderedGateResult ordered_gate(Gating gating, const at::Tensor& logits,
                               const at::Tensor& prev_gate, const at::Tensor& h,
                               const at::Tensor& m);

}  // namespace ordered_gnn
