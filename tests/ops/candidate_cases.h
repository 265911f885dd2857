#pragma once
#include <string>
#include <vector>

#include "ops/op_checks.h"
#include "ordered_gnn/ops/candidate_layer.h"
#include "support/tensors.h"

// Layers with a candidate, fused and by their formula, and tensors for them.
namespace ordered_gnn::candidate {

constexpr Gating kOrderedGatings[] = {Gating::ordered, Gating::softor};

std::string name_of(NormMode mode);

// What a layer is but for its tensors.
struct LayerCase {
  Gating gating = Gating::softor;
  NormMode candidate_norm = NormMode::layer;
  NormMode norm = NormMode::layer;
  double dropout = 0;
  bool with_scales = true;

  std::string name() const {
    return to_string(gating) + ", candidate " + name_of(candidate_norm) +
           ", norm " + name_of(norm);
  }
};

// Both gatings with every pair of norms.
std::vector<LayerCase> all_cases(double dropout);
bool has_batch(const LayerCase& layer);

CandidateLayerSettings settings_of(const LayerCase& layer);
at::Tensor row_scale(const Graph& graph, const LayerCase& layer);
at::Tensor col_scale(const Graph& graph, const LayerCase& layer);

// Statistics that a norm of mode fixed reads.
struct Running {
  at::Tensor mean, variance;
};
Running running_of(const at::Tensor& h, uint64_t seed);
RowNorm row_norm(NormMode mode, const at::Tensor& weight,
                 const at::Tensor& bias, const Running& running);

// Inputs are h, prev_gate, weight and bias of gate and candidate, weight and
// bias of the candidate's norm and of the layer's; outputs are state and gate.
TensorFunction fused(const Graph& graph, const LayerCase& layer);
TensorFunction plain(const Graph& graph, const LayerCase& layer);
Tensors layer_tensors(int64_t rows, int64_t gates, int64_t width,
                      at::ScalarType dtype);

// Those that a layer reads.
std::vector<NamedTensor> named_of(const LayerCase& layer, const Tensors& in);
Tensors tensors_of(const std::vector<NamedTensor>& named);
// The tensors of named_of() in the places where functions expect them.
TensorFunction from_named(const LayerCase& layer, const TensorFunction& f);

}  // namespace ordered_gnn::candidate
