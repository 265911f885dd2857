#pragma once
#include "support/device_candidate.h"
#include "support/device_layer.h"

/// Ops whose rows are stored in bfloat16, with parameters in float, against the
/// same ops on the CPU in double on the same rounded inputs; on any device.
namespace ordered_gnn {

/// Eight bits are stored; a few roundings may add up.
constexpr double kBf16Tolerance = 2e-2;

/// f takes the rows first, then the parameters, and returns rows alone. Another
/// run on the device, with other threads, gives the same bits.
void expect_in_bf16(at::Device device, const DeviceFunction& f,
                    const Tensors& rows, const Tensors& parameters,
                    double tolerance = kBf16Tolerance);

void expect_linear_in_bf16(at::Device device);

/// pair_linear(), and ordered_gate() with every gating.
void expect_pairs_and_gates_in_bf16(at::Device device);

void expect_layer_norm_in_bf16(at::Device device,
                               const std::vector<int64_t>& widths);

/// Features of every kind.
void expect_feature_linear_in_bf16(at::Device device,
                                   const std::vector<int64_t>& widths);

/// The mean, the sum and that of a GCN, over small graphs and a hub.
void expect_aggregates_in_bf16(at::Device device,
                               const std::vector<int64_t>& widths);

/// The loss itself is a float.
void expect_cross_entropy_in_bf16(at::Device device,
                                  const std::vector<int64_t>& classes);

void expect_layer_in_bf16(at::Device device, const Graph& graph,
                          const LayerCase& layer, int64_t gates, int64_t width);

/// The layer with ordered gates of either kind, at every {width, gates}.
void expect_layers_in_bf16(
    at::Device device, const Graph& graph,
    const std::vector<std::pair<int64_t, int64_t>>& shapes);

/// A layer with a candidate. Rounding opens some candidates near zero that are
/// shut in double, and the other way round. In a column whose candidates are
/// nearly all shut one of them can be most of what a norm over a batch divides
/// by its small spread, and so of a gradient: gradients of the candidate's own
/// parameters are compared on candidates far from zero, all others on any.
void expect_candidate_in_bf16(at::Device device, const Graph& graph,
                              const CandidateCase& layer, int64_t gates,
                              int64_t width);

}  // namespace ordered_gnn
