#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "ordered_gnn/explain/gate_statistics.h"

namespace ordered_gnn::explain {

/// One gate of one layer.
/// @param column  its value at every node, one or more, in their order.
GateSummary summarize_gate(const std::vector<float>& column);

/// All gates of a layer from what can be had one by one.
/// @param splits    [N * orders] int64, see split_points(), of rows of an
/// order.
/// @param expected  [N] float64, see expected_splits().
LayerGates gates_of_layer(std::vector<GateSummary> gates,
                          const at::Tensor& splits, const at::Tensor& expected,
                          int64_t chunk, int64_t orders);

}  // namespace ordered_gnn::explain
