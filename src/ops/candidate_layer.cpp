#include "ordered_gnn/ops/candidate_layer.h"

#include <torch/library.h>

#include "ops/detail/candidate_layer.h"
#include "ops/detail/checks.h"
#include "ops/detail/exchanged.h"
#include "ops/detail/scaled_aggregate.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {
namespace {

constexpr const char* kCandidateLayer = "candidate_layer";

// A vector of the width, where it is there.
void check_of_width(const std::string& name, const optional<at::Tensor>& given,
                    const at::Tensor& h) {
  if (!given.has_value()) return;
  check_shape(kCandidateLayer, name.c_str(), *given, {h.size(1)});
  check_parameter(kCandidateLayer, name.c_str(), *given, "h", h);
}

void check_norm(const std::string& name, const NormArguments& norm,
                const at::Tensor& h) {
  TORCH_CHECK(norm.mode >= 0 && norm.mode <= 3, kCandidateLayer, ": ", name,
              " must be layer, batch, none or fixed (mode 0 to 3), got mode ",
              norm.mode);
  const auto mode = static_cast<NormMode>(norm.mode);
  const bool has_norm = mode != NormMode::none;
  TORCH_CHECK(
      norm.weight.has_value() == has_norm && norm.bias.has_value() == has_norm,
      kCandidateLayer, ": ", name, " needs a weight and a bias",
      has_norm ? "" : " only where there is a norm");
  TORCH_CHECK(norm.running_mean.has_value() == norm.running_var.has_value(),
              kCandidateLayer, ": ", name,
              " has one running statistic; give both or neither");
  TORCH_CHECK(mode != NormMode::fixed || norm.running_mean.has_value(),
              kCandidateLayer, ": ", name,
              " of mode fixed needs running statistics");
  TORCH_CHECK(mode != NormMode::batch || h.size(0) > 1, kCandidateLayer, ": ",
              name, " over a batch needs two rows, got ", h.size(0),
              "; use mode fixed");
  check_of_width(name + " weight", norm.weight, h);
  check_of_width(name + " bias", norm.bias, h);
  check_of_width(name + " running_mean", norm.running_mean, h);
  check_of_width(name + " running_var", norm.running_var, h);
}

// A map of [a ; b], both of the width of h.
void check_pair_map(const std::string& name, const at::Tensor& weight,
                    const at::Tensor& bias, const at::Tensor& h) {
  const int64_t width = 2 * h.size(1);
  TORCH_CHECK(weight.dim() == 2 && weight.size(1) == width, kCandidateLayer,
              ": ", name, "_weight must have ", width, " columns, got ",
              weight.sizes());
  check_shape(kCandidateLayer, (name + "_bias").c_str(), bias,
              {weight.size(0)});
  check_parameter(kCandidateLayer, (name + "_weight").c_str(), weight, "h", h);
  check_parameter(kCandidateLayer, (name + "_bias").c_str(), bias, "h", h);
}

NormArguments norm_arguments(const RowNorm& norm) {
  return {when_defined(norm.weight), when_defined(norm.bias),
          when_defined(norm.running_mean), when_defined(norm.running_var),
          static_cast<int64_t>(norm.mode)};
}

CandidateArguments candidate_arguments(
    const OrderedLayerInput& input, const CandidateLayerParameters& parameters,
    const CandidateLayerSettings& settings) {
  const GateMode mode =
      layer_mode(kCandidateLayer, settings.gating, input.prev_gate);
  return {input.h,
          when_defined(input.prev_gate),
          parameters.gate_weight,
          parameters.gate_bias,
          parameters.candidate_weight,
          parameters.candidate_bias,
          norm_arguments(parameters.candidate_norm),
          norm_arguments(parameters.norm),
          static_cast<int64_t>(mode),
          settings.norm_eps,
          settings.momentum,
          {settings.dropout, settings.dropout_key}};
}

KeptNorm kept_norm(const NormArguments& norm) {
  KeptNorm kept;
  kept.weight = norm.weight;
  kept.bias = norm.bias;
  kept.mode = norm.mode;
  return kept;
}

}  // namespace

void check_candidate_layer(const CandidateLayerArguments& arguments) {
  const CandidateArguments& layer = arguments.layer;
  const at::Tensor& h = layer.h;
  check_scaled_aggregate(arguments.lists, h);
  check_rows_type(kCandidateLayer, "h", h);
  check_dropout(layer.dropout, h.device());
  TORCH_CHECK(layer.mode == 1 || layer.mode == 2, kCandidateLayer,
              ": gating must be ordered or softor (mode 1 or 2), got mode ",
              layer.mode);
  const int64_t width = h.size(1);
  TORCH_CHECK(layer.gate_weight.dim() == 2, kCandidateLayer,
              ": gate_weight must be [G, ", 2 * width, "], got ",
              layer.gate_weight.sizes());
  const int64_t gates = layer.gate_weight.size(0);
  TORCH_CHECK(gates > 0 && width % gates == 0, kCandidateLayer, ": ", gates,
              " gates do not divide the width ", width);
  check_pair_map("gate", layer.gate_weight, layer.gate_bias, h);
  check_pair_map("candidate", layer.candidate_weight, layer.candidate_bias, h);
  check_shape(kCandidateLayer, "candidate_bias", layer.candidate_bias, {width});
  check_prev_gate(kCandidateLayer, layer.mode, layer.prev_gate,
                  arguments.lists.rowptr.numel() - 1, gates, h);
  check_norm("candidate_norm", layer.candidate_norm, h);
  check_norm("norm", layer.norm, h);
}

CandidateLayerOutputs candidate_layer(
    const CandidateLayerArguments& arguments) {
  auto results = call_op<candidate_layer>("candidate_layer", arguments);
  auto& [out, gate, m, logits, pre, candidate_statistics, statistics] = results;
  if (!arguments.keep) return {out, gate, {}, {}, {}, {}, {}};
  for (at::Tensor* left : {&m, &candidate_statistics, &statistics}) {
    if (!is_matrix(*left)) *left = at::Tensor();
  }
  return results;
}

namespace {

CandidateLayerGradients candidate_backward_in_place(
    const CandidateLayerBackwardArguments& arguments) {
  return call_op<candidate_backward_in_place>("candidate_layer_backward_",
                                              arguments);
}

}  // namespace

CandidateLayerGradients candidate_layer_backward(
    const CandidateLayerBackwardArguments& arguments) {
  if (arguments.reuse_memory) return candidate_backward_in_place(arguments);
  auto results =
      call_op<candidate_layer_backward>("candidate_layer_backward", arguments);
  const KeptCandidateLayer& kept = arguments.kept;
  if (!kept.prev_gate.has_value()) std::get<1>(results) = at::Tensor();
  if (!kept.candidate_norm.weight.has_value()) {
    std::get<6>(results) = std::get<7>(results) = at::Tensor();
  }
  if (!kept.norm.weight.has_value()) {
    std::get<8>(results) = std::get<9>(results) = at::Tensor();
  }
  return results;
}

CandidateRowGradients candidate_layer_rows_backward(
    const CandidateLayerBackwardArguments& arguments) {
  return call_op<candidate_layer_rows_backward>("candidate_layer_rows_backward",
                                                arguments);
}

KeptCandidateLayer kept_of(const CandidateArguments& layer,
                           const CandidateLayerOutputs& results) {
  KeptCandidateLayer kept;
  kept.h = layer.h;
  kept.prev_gate = layer.prev_gate;
  kept.gate_weight = layer.gate_weight;
  kept.candidate_weight = layer.candidate_weight;
  kept.candidate_norm = kept_norm(layer.candidate_norm);
  kept.norm = kept_norm(layer.norm);
  kept.mode = layer.mode;
  kept.dropout = layer.dropout;
  at::Tensor m, candidate_statistics, statistics;
  std::tie(std::ignore, kept.gate, m, kept.logits, kept.pre,
           candidate_statistics, statistics) = results;
  kept.m = when_defined(m);
  kept.candidate_norm.statistics = when_defined(candidate_statistics);
  kept.norm.statistics = when_defined(statistics);
  return kept;
}

}  // namespace detail

OrderedGateResult candidate_layer(const Graph& graph,
                                  const OrderedLayerInput& input,
                                  const CandidateLayerParameters& parameters,
                                  const CandidateLayerSettings& settings) {
  detail::check_row_per_node("candidate_layer", graph, input.h);
  const detail::CandidateLayerArguments arguments = {
      detail::layer_lists(graph, input),
      detail::candidate_arguments(input, parameters, settings),
      settings.reuse_memory, /*keep=*/false};
  auto results = graph.exchange() != nullptr
                     ? detail::exchanged_layer(arguments, graph.exchange())
                     : detail::candidate_layer(arguments);
  return {std::move(std::get<0>(results)), std::move(std::get<1>(results))};
}

// A norm is weight, bias, running_mean, running_var and mode.
TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "candidate_layer(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor? prev_gate, Tensor gate_weight, Tensor gate_bias, "
      "Tensor candidate_weight, Tensor candidate_bias, "
      "Tensor? candidate_norm_weight, Tensor? candidate_norm_bias, "
      "Tensor(a!)? candidate_running_mean, Tensor(b!)? candidate_running_var, "
      "int candidate_norm_mode, Tensor? norm_weight, Tensor? norm_bias, "
      "Tensor(c!)? running_mean, Tensor(d!)? running_var, int norm_mode, "
      "int gating, float eps, float momentum, float p, int seed, int step, "
      "Tensor? step_tensor, int site, bool reuse_memory, bool keep) "
      "-> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
      detail::traceable());
  detail::define_in_place_and_not(
      m,
      "candidate_layer_backward_(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor? prev_gate, Tensor gate_weight, Tensor candidate_weight, "
      "Tensor(b!) gate, Tensor? m, Tensor(c!) logits, Tensor(e!) pre, "
      "Tensor? candidate_norm_weight, Tensor? candidate_norm_bias, "
      "Tensor? candidate_statistics, int candidate_norm_mode, "
      "Tensor? norm_weight, Tensor? norm_bias, Tensor? statistics, "
      "int norm_mode, int gating, float p, int seed, int step, "
      "Tensor? step_tensor, int site, Tensor(a!) grad_out, "
      "Tensor(d!)? grad_gate, bool reuse_memory) "
      "-> (Tensor(a!), Tensor(b!), Tensor, Tensor, Tensor, Tensor, Tensor, "
      "Tensor, Tensor, Tensor)");
  m.def(
      "candidate_layer_rows_backward(Tensor rowptr, Tensor col, "
      "Tensor t_rowptr, Tensor t_col, Tensor? row_scale, Tensor? col_scale, "
      "Tensor h, Tensor? prev_gate, Tensor gate_weight, "
      "Tensor candidate_weight, Tensor gate, Tensor? m, Tensor logits, "
      "Tensor pre, Tensor? candidate_norm_weight, Tensor? candidate_norm_bias, "
      "Tensor? candidate_statistics, int candidate_norm_mode, "
      "Tensor? norm_weight, Tensor? norm_bias, Tensor? statistics, "
      "int norm_mode, int gating, float p, int seed, int step, "
      "Tensor? step_tensor, int site, Tensor grad_out, Tensor? grad_gate, "
      "bool reuse_memory) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, "
      "Tensor, Tensor, Tensor, Tensor, Tensor)");
}

}  // namespace ordered_gnn
