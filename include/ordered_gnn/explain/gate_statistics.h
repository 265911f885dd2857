#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "ordered_gnn/core/box_tails.h"
#include "ordered_gnn/core/five_numbers.h"

namespace ordered_gnn {

/// A gate above this is open: the layer leaves its neurons as they are.
constexpr float kSaturatedGate = 0.99f;

/// One gate of one layer, over all nodes.
struct GateSummary {
  FiveNumbers numbers;
  BoxTails tails;  ///< whiskers and outliers
  double mean = 0;
  double saturated = 0;  ///< share of nodes with a gate above kSaturatedGate
};

/// The gates of one layer.
struct LayerGates {
  std::vector<GateSummary> gates;  ///< G of them, the first neurons' gate first
  /// Of split_points(), in neurons; the sum over the orders.
  double mean_split = 0;
  double mean_expected_split = 0;  ///< of expected_splits(), in neurons
  double saturated = 0;            ///< share of all N G gates
};

/// Where a node's own part ends in one layer: the number of gates before the
/// first one below 1/2, int64 [N]; G where none is. Gates of ordered and softor
/// gating never rise along a row, so all after it are below too.
/// @param gates  [N, G] of one layer, see Prediction::gates.
/// @throws Error for another shape or dtype, and naming node and gate of a
/// value
///         that is not finite.
at::Tensor split_points(const at::Tensor& gates);

/// The same place as an expectation: chunk * sum of a row, float64 [N], in
/// neurons. The gate of cumax() is the probability that the split comes after
/// its neurons.
/// @param chunk  neurons per gate, at least 1.
at::Tensor expected_splits(const at::Tensor& gates, int64_t chunk);

/// Everything about one layer. Copies one column at a time.
/// @param orders  parts of the gates with an order each, see gate_orders().
/// @throws Error as split_points() does, without nodes or gates, and when the
///         orders do not divide the gates.
LayerGates describe_gates(const at::Tensor& gates, int64_t chunk,
                          int64_t orders = 1);

/// Layer by layer; empty for a model without gates.
/// @throws Error as describe_gates() does, naming the layer from 1.
std::vector<LayerGates> describe_gates(const std::vector<at::Tensor>& gates,
                                       int64_t chunk, int64_t orders = 1);

}  // namespace ordered_gnn
