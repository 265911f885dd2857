#include "ops/candidate_cases.h"

#include <torch/types.h>

#include <cmath>

#include "support/reference.h"

namespace ordered_gnn::candidate {
namespace {

constexpr NormMode kNormModes[] = {NormMode::layer, NormMode::batch,
                                   NormMode::none, NormMode::fixed};
// A norm by the formula of its mode, written out.
at::Tensor plain_norm(NormMode mode, const at::Tensor& x,
                      const at::Tensor& weight, const at::Tensor& bias,
                      const Running& running) {
  const auto with = [&](const at::Tensor& mean, const at::Tensor& variance) {
    return (x - mean) / (variance + 1e-5).sqrt() * weight + bias;
  };
  if (mode == NormMode::none) return x;
  if (mode == NormMode::fixed) return with(running.mean, running.variance);
  const int64_t dim = mode == NormMode::layer ? 1 : 0;
  return with(x.mean(dim, true), x.var(dim, /*unbiased=*/false, true));
}

}  // namespace

std::string name_of(NormMode mode) {
  const char* const names[] = {"layer", "batch", "none", "fixed"};
  return names[static_cast<int>(mode)];
}

std::vector<LayerCase> all_cases(double dropout) {
  std::vector<LayerCase> cases;
  for (const Gating gating : kOrderedGatings) {
    for (const NormMode candidate : kNormModes) {
      for (const NormMode norm : kNormModes) {
        cases.push_back({gating, candidate, norm, dropout});
      }
    }
  }
  return cases;
}

CandidateLayerSettings settings_of(const LayerCase& layer) {
  CandidateLayerSettings settings;
  settings.gating = layer.gating;
  settings.dropout = layer.dropout;
  settings.dropout_key = {3, 5, 2};
  return settings;
}

at::Tensor row_scale(const Graph& graph, const LayerCase& layer) {
  return layer.with_scales ? graph.inverse_in_degree() : at::Tensor();
}

at::Tensor col_scale(const Graph& graph, const LayerCase& layer) {
  return layer.with_scales ? graph.inverse_in_degree().sqrt() : at::Tensor();
}

Running running_of(const at::Tensor& h, uint64_t seed) {
  const int64_t width = h.size(1);
  return {random_tensor({width}, h.scalar_type(), seed),
          random_tensor({width}, h.scalar_type(), seed + 1, 0.2, 2)};
}

RowNorm row_norm(NormMode mode, const at::Tensor& weight,
                 const at::Tensor& bias, const Running& running) {
  if (mode == NormMode::none) return {mode};
  return {mode, weight, bias, running.mean, running.variance};
}

TensorFunction fused(const Graph& graph, const LayerCase& layer) {
  return [=](const Tensors& in) {
    const OrderedGateResult result = candidate_layer(
        graph, {in[0], in[1], row_scale(graph, layer), col_scale(graph, layer)},
        {in[2], in[3], in[4], in[5],
         row_norm(layer.candidate_norm, in[6], in[7], running_of(in[0], 91)),
         row_norm(layer.norm, in[8], in[9], running_of(in[0], 93))},
        settings_of(layer));
    return Tensors{result.h, result.gate};
  };
}

TensorFunction plain(const Graph& graph, const LayerCase& layer) {
  return [=](const Tensors& in) {
    const at::Tensor& h = in[0];
    const at::Tensor m = reference::scaled_aggregate(
        graph, row_scale(graph, layer), col_scale(graph, layer), h);
    const at::Tensor pre = reference::pair_linear(m, h, in[4], in[5]);
    const at::Tensor c =
        plain_norm(layer.candidate_norm, pre, in[6], in[7], running_of(h, 91))
            .relu();
    const OrderedGateResult result = reference::ordered_gate(
        layer.gating, reference::pair_linear(h, m, in[2], in[3]), in[1], h, c);
    const at::Tensor normed =
        plain_norm(layer.norm, result.h, in[8], in[9], running_of(h, 93));
    return Tensors{reference::dropout(normed, layer.dropout, {3, 5, 2}),
                   result.gate};
  };
}

Tensors layer_tensors(int64_t rows, int64_t gates, int64_t width,
                      at::ScalarType dtype) {
  // Logits of moderate size: a saturated softmax amplifies rounding.
  const double small = 1 / std::sqrt(2.0 * static_cast<double>(width));
  return {random_tensor({rows, width}, dtype, 71),
          random_tensor({rows, gates}, dtype, 72, 0, 1),
          random_tensor({gates, 2 * width}, dtype, 73) * small,
          random_tensor({gates}, dtype, 74),
          random_tensor({width, 2 * width}, dtype, 75) * (3 * small),
          random_tensor({width}, dtype, 76),
          random_tensor({width}, dtype, 77, 0.5, 1.5),
          random_tensor({width}, dtype, 78),
          random_tensor({width}, dtype, 79, 0.5, 1.5),
          random_tensor({width}, dtype, 80)};
}

std::vector<NamedTensor> named_of(const LayerCase& layer, const Tensors& in) {
  std::vector<NamedTensor> named = {
      {"h", in[0]},         {"prev_gate", in[1]}, {"gate_weight", in[2]},
      {"gate_bias", in[3]}, {"weight", in[4]},    {"bias", in[5]}};
  if (layer.candidate_norm != NormMode::none) {
    named.push_back({"candidate_norm weight", in[6]});
    named.push_back({"candidate_norm bias", in[7]});
  }
  if (layer.norm != NormMode::none) {
    named.push_back({"norm weight", in[8]});
    named.push_back({"norm bias", in[9]});
  }
  return named;
}

TensorFunction from_named(const LayerCase& layer, const TensorFunction& f) {
  return [=](const Tensors& in) {
    Tensors all(in.begin(), in.begin() + 6);
    size_t next = 6;
    for (const NormMode mode : {layer.candidate_norm, layer.norm}) {
      for (int i = 0; i < 2; ++i) {
        all.push_back(mode == NormMode::none ? at::Tensor() : in[next++]);
      }
    }
    return f(all);
  };
}

Tensors tensors_of(const std::vector<NamedTensor>& named) {
  Tensors tensors;
  for (const NamedTensor& item : named) tensors.push_back(item.value);
  return tensors;
}

bool has_batch(const LayerCase& layer) {
  return layer.candidate_norm == NormMode::batch ||
         layer.norm == NormMode::batch;
}

}  // namespace ordered_gnn::candidate
