#include "ordered_gnn/ops/ordered_layer.h"

#include <ATen/core/grad_mode.h>
#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/layer_norm.h"
#include "ops/detail/ordered_layer.h"
#include "ops/detail/scaled_aggregate.h"

namespace ordered_gnn {
namespace detail {

void check_ordered_layer(const OrderedLayerArguments& arguments) {
  check_scaled_aggregate(arguments.lists, arguments.layer.h);
  check_layer(arguments.layer);
}

void check_layer(const LayerArguments& layer) {
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
  TORCH_CHECK(layer.mode == 1 || layer.prev_gate.has_value(), kOp,
              ": softor needs the gate before");
  if (layer.prev_gate.has_value()) {
    check_shape(kOp, "prev_gate", *layer.prev_gate, {h.size(0), gates});
    check_like(kOp, "prev_gate", *layer.prev_gate, "h", h);
  }
  check_shape(kOp, "gate_bias", layer.parameters.gate_bias, {gates});
  check_parameter(kOp, "gate_weight", gate_weight, "h", h);
  check_parameter(kOp, "gate_bias", layer.parameters.gate_bias, "h", h);
  check_layer_norm(h, layer.parameters.norm_weight, layer.parameters.norm_bias,
                   layer.dropout);
}

OrderedLayerOutputs ordered_layer(const OrderedLayerArguments& arguments) {
  static const StructOp<OrderedLayerOutputs, OrderedLayerArguments> op(
      "ordered_gnn::ordered_layer");
  return op(arguments);
}

OrderedLayerGradients ordered_layer_backward(
    const OrderedLayerBackwardArguments& arguments) {
  static const StructOp<OrderedLayerGradients, OrderedLayerBackwardArguments>
      op("ordered_gnn::ordered_layer_backward");
  return op(arguments);
}

std::tuple<at::Tensor, at::Tensor> ordered_layer_again(
    const OrderedLayerAgainArguments& arguments) {
  static const StructOp<std::tuple<at::Tensor, at::Tensor>,
                        OrderedLayerAgainArguments>
      op("ordered_gnn::ordered_layer_again");
  return op(arguments);
}

LayerArguments layer_arguments(const at::Tensor& h, const at::Tensor& prev_gate,
                               const OrderedLayerParameters& parameters,
                               const OrderedLayerSettings& settings) {
  const Gating gating = settings.gating;
  TORCH_CHECK(gating == Gating::ordered || gating == Gating::softor,
              "ordered_layer: gating must be ordered or softor, got ",
              to_string(gating));
  // Of zeros, softor makes the ordered gate, to the bit.
  const GateMode mode = gating == Gating::softor && prev_gate.defined()
                            ? GateMode::softor
                            : GateMode::ordered;
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

}  // namespace detail

OrderedGateResult ordered_layer(const Graph& graph,
                                const OrderedLayerInput& input,
                                const OrderedLayerParameters& parameters,
                                const OrderedLayerSettings& settings) {
  const Adjacency& in = graph.in();
  // The transpose is for backward, and building it is not free.
  const Adjacency& out = at::GradMode::is_enabled() ? graph.out() : in;
  auto results = detail::ordered_layer(
      {detail::scaled_lists(in, out, input.row_scale, input.col_scale),
       detail::layer_arguments(input.h, input.prev_gate, parameters, settings),
       settings.reuse_memory, /*keep=*/false});
  return {std::move(std::get<0>(results)), std::move(std::get<1>(results))};
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "ordered_layer(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor? prev_gate, Tensor gate_weight, Tensor gate_bias, "
      "Tensor norm_weight, Tensor norm_bias, int mode, float eps, float p, "
      "int seed, int step, Tensor? step_tensor, int site, bool reuse_memory, "
      "bool keep) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "ordered_layer_backward(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor? prev_gate, Tensor gate_weight, Tensor norm_weight, "
      "Tensor(b!) gate, Tensor? m, Tensor(c!) logits, Tensor mean, "
      "Tensor rstd, int mode, float p, int seed, int step, "
      "Tensor? step_tensor, int site, Tensor(a!) grad_out, "
      "Tensor(d!)? grad_gate, bool reuse_memory) "
      "-> (Tensor(a!), Tensor(b!), Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "ordered_layer_again(Tensor h, Tensor? prev_gate, Tensor m, "
      "Tensor logits, Tensor norm_weight, Tensor norm_bias, int mode, "
      "float eps, float p, int seed, int step, Tensor? step_tensor, int site) "
      "-> (Tensor, Tensor)");
}

}  // namespace ordered_gnn
