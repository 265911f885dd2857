#include "ordered_gnn/ops/ordered_layer.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/exchanged.h"
#include "ops/detail/layer_norm.h"
#include "ops/detail/ordered_layer.h"
#include "ops/detail/scaled_aggregate.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {

void check_ordered_layer(const OrderedLayerArguments& arguments) {
  check_scaled_aggregate(arguments.lists, arguments.layer.h);
  check_layer(arguments.layer, arguments.lists.rowptr.numel() - 1);
}

void check_layer(const LayerArguments& layer, int64_t rows) {
  constexpr const char* kOp = "ordered_layer";
  const at::Tensor &h = layer.h, &gate_weight = layer.parameters.gate_weight;
  TORCH_CHECK(layer.mode == 1 || layer.mode == 2, kOp,
              ": gating must be ordered or softor (mode 1 or 2), got mode ",
              layer.mode);
  const int64_t width = h.size(1);
  TORCH_CHECK(gate_weight.dim() == 2 && gate_weight.size(1) == 2 * width, kOp,
              ": gate_weight must be [G, ", 2 * width, "], got ",
              gate_weight.sizes());
  const int64_t gates = gate_weight.size(0);
  TORCH_CHECK(gates > 0 && width % gates == 0, kOp, ": ", gates,
              " gates do not divide the width ", width);
  check_prev_gate(kOp, layer.mode, layer.prev_gate, rows, gates, h);
  check_shape(kOp, "gate_bias", layer.parameters.gate_bias, {gates});
  check_parameter(kOp, "gate_weight", gate_weight, "h", h);
  check_parameter(kOp, "gate_bias", layer.parameters.gate_bias, "h", h);
  check_layer_norm(h, layer.parameters.norm_weight, layer.parameters.norm_bias,
                   layer.dropout);
}

OrderedLayerOutputs ordered_layer(const OrderedLayerArguments& arguments) {
  auto results = call_op<ordered_layer>("ordered_layer", arguments);
  auto& [out, gate, m, logits, mean, rstd] = results;
  if (!arguments.keep) return {out, gate, {}, {}, {}, {}};
  if (!is_matrix(m)) m = at::Tensor();
  return results;
}

namespace {

OrderedLayerGradients layer_backward_in_place(
    const OrderedLayerBackwardArguments& arguments) {
  return call_op<layer_backward_in_place>("ordered_layer_backward_", arguments);
}

}  // namespace

OrderedLayerGradients ordered_layer_backward(
    const OrderedLayerBackwardArguments& arguments) {
  if (arguments.reuse_memory) return layer_backward_in_place(arguments);
  auto results =
      call_op<ordered_layer_backward>("ordered_layer_backward", arguments);
  if (!arguments.kept.prev_gate.has_value()) {
    std::get<1>(results) = at::Tensor();
  }
  return results;
}

OrderedRowGradients ordered_layer_rows_backward(
    const OrderedLayerBackwardArguments& arguments) {
  return call_op<ordered_layer_rows_backward>("ordered_layer_rows_backward",
                                              arguments);
}

std::tuple<at::Tensor, at::Tensor> ordered_layer_again(
    const OrderedLayerAgainArguments& arguments) {
  return call_op<ordered_layer_again>("ordered_layer_again", arguments);
}

LayerArguments layer_arguments(const at::Tensor& h, const at::Tensor& prev_gate,
                               const OrderedLayerParameters& parameters,
                               const OrderedLayerSettings& settings) {
  const GateMode mode = layer_mode("ordered_layer", settings.gating, prev_gate);
  return {h,
          when_defined(prev_gate),
          parameters,
          static_cast<int64_t>(mode),
          settings.norm_eps,
          {settings.dropout, settings.dropout_key}};
}

KeptLayer kept_inputs(const LayerArguments& layer) {
  KeptLayer kept;
  kept.h = layer.h;
  kept.prev_gate = layer.prev_gate;
  kept.gate_weight = layer.parameters.gate_weight;
  kept.norm_weight = layer.parameters.norm_weight;
  kept.mode = layer.mode;
  kept.dropout = layer.dropout;
  return kept;
}

KeptLayer kept_of(const LayerArguments& layer,
                  const OrderedLayerOutputs& results) {
  KeptLayer kept = kept_inputs(layer);
  at::Tensor m;
  std::tie(std::ignore, kept.gate, m, kept.logits, kept.mean, kept.rstd) =
      results;
  kept.m = when_defined(m);
  return kept;
}

}  // namespace detail

OrderedGateResult ordered_layer(const Graph& graph,
                                const OrderedLayerInput& input,
                                const OrderedLayerParameters& parameters,
                                const OrderedLayerSettings& settings) {
  detail::check_row_per_node("ordered_layer", graph, input.h);
  const detail::OrderedLayerArguments arguments = {
      detail::layer_lists(graph, input),
      detail::layer_arguments(input.h, input.prev_gate, parameters, settings),
      settings.reuse_memory, /*keep=*/false};
  auto results = graph.exchange() != nullptr
                     ? detail::exchanged_layer(arguments, graph.exchange())
                     : detail::ordered_layer(arguments);
  return {std::move(std::get<0>(results)), std::move(std::get<1>(results))};
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "ordered_layer(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor? prev_gate, Tensor gate_weight, Tensor gate_bias, "
      "Tensor norm_weight, Tensor norm_bias, int gating, float eps, float p, "
      "int seed, int step, Tensor? step_tensor, int site, bool reuse_memory, "
      "bool keep) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
      detail::traceable());
  detail::define_in_place_and_not(
      m,
      "ordered_layer_backward_(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor? prev_gate, Tensor gate_weight, Tensor norm_weight, "
      "Tensor(b!) gate, Tensor? m, Tensor(c!) logits, Tensor mean, "
      "Tensor rstd, int gating, float p, int seed, int step, "
      "Tensor? step_tensor, int site, Tensor(a!) grad_out, "
      "Tensor(d!)? grad_gate, bool reuse_memory) "
      "-> (Tensor(a!), Tensor(b!), Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "ordered_layer_rows_backward(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor? prev_gate, Tensor gate_weight, Tensor norm_weight, "
      "Tensor gate, Tensor? m, Tensor logits, Tensor mean, Tensor rstd, "
      "int gating, float p, int seed, int step, Tensor? step_tensor, int site, "
      "Tensor grad_out, Tensor? grad_gate, bool reuse_memory) "
      "-> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "ordered_layer_again(Tensor h, Tensor? prev_gate, Tensor m, "
      "Tensor logits, Tensor norm_weight, Tensor norm_bias, int gating, "
      "float eps, float p, int seed, int step, Tensor? step_tensor, int site) "
      "-> (Tensor, Tensor)");
}

}  // namespace ordered_gnn
