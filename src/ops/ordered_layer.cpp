#include "ordered_gnn/ops/ordered_layer.h"

#include <ATen/core/grad_mode.h>
#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/dropout.h"
#include "ops/detail/layer_norm.h"
#include "ops/detail/ordered_layer.h"
#include "ops/detail/scaled_aggregate.h"

namespace ordered_gnn {
namespace detail {

void check_ordered_layer(const at::Tensor& rowptr, const at::Tensor& col,
                         const optional<at::Tensor>& row_scale,
                         const optional<at::Tensor>& col_scale,
                         const at::Tensor& h,
                         const optional<at::Tensor>& prev_gate,
                         const at::Tensor& gate_weight,
                         const at::Tensor& gate_bias,
                         const at::Tensor& norm_weight,
                         const at::Tensor& norm_bias, int64_t mode, double p) {
  check_scaled_aggregate(rowptr, col, row_scale, col_scale, h);
  check_layer_rows(h, prev_gate, gate_weight, gate_bias, norm_weight, norm_bias,
                   mode, p);
}

void check_layer_rows(const at::Tensor& h,
                      const optional<at::Tensor>& prev_gate,
                      const at::Tensor& gate_weight,
                      const at::Tensor& gate_bias,
                      const at::Tensor& norm_weight,
                      const at::Tensor& norm_bias, int64_t mode, double p) {
  constexpr const char* kOp = "ordered_layer";
  TORCH_CHECK(mode == 1 || mode == 2, kOp,
              ": gating must be ordered or softor (mode 1 or 2), got mode ",
              mode);
  const int64_t width = h.size(1);
  TORCH_CHECK(gate_weight.dim() == 2 && gate_weight.size(1) == 2 * width, kOp,
              ": gate_weight must be [G, ", 2 * width, "], got ",
              gate_weight.sizes());
  const int64_t gates = gate_weight.size(0);
  TORCH_CHECK(gates > 0 && width % gates == 0, kOp, ": ", gates,
              " gates do not divide the width ", width);
  TORCH_CHECK(mode == 1 || prev_gate.has_value(), kOp,
              ": softor needs the gate before");
  if (prev_gate.has_value()) {
    check_shape(kOp, "prev_gate", *prev_gate, {h.size(0), gates});
    check_like(kOp, "prev_gate", *prev_gate, "h", h);
  }
  check_shape(kOp, "gate_bias", gate_bias, {gates});
  check_parameter(kOp, "gate_weight", gate_weight, "h", h);
  check_parameter(kOp, "gate_bias", gate_bias, "h", h);
  check_layer_norm(h, norm_weight, norm_bias, p);
}

OrderedLayerOutputs ordered_layer(
    const at::Tensor& rowptr, const at::Tensor& col, const at::Tensor& t_rowptr,
    const at::Tensor& t_col, const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& gate_bias, const at::Tensor& norm_weight,
    const at::Tensor& norm_bias, int64_t mode, double eps, double p,
    int64_t seed, int64_t step, int64_t site, bool reuse_memory, bool keep) {
  static const auto op =
      find_op<decltype(ordered_layer)>("ordered_gnn::ordered_layer");
  return op.call(rowptr, col, t_rowptr, t_col, row_scale, col_scale, h,
                 prev_gate, gate_weight, gate_bias, norm_weight, norm_bias,
                 mode, eps, p, seed, step, site, reuse_memory, keep);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
           at::Tensor>
ordered_layer_backward(
    const at::Tensor& rowptr, const at::Tensor& col, const at::Tensor& t_rowptr,
    const at::Tensor& t_col, const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& norm_weight, const at::Tensor& gate,
    const optional<at::Tensor>& m, const at::Tensor& logits,
    const at::Tensor& mean, const at::Tensor& rstd, const at::Tensor& grad_out,
    const optional<at::Tensor>& grad_gate, int64_t mode, double p, int64_t seed,
    int64_t step, int64_t site, bool reuse_memory) {
  static const auto op = find_op<decltype(ordered_layer_backward)>(
      "ordered_gnn::ordered_layer_backward");
  return op.call(rowptr, col, t_rowptr, t_col, row_scale, col_scale, h,
                 prev_gate, gate_weight, norm_weight, gate, m, logits, mean,
                 rstd, grad_out, grad_gate, mode, p, seed, step, site,
                 reuse_memory);
}

std::tuple<at::Tensor, at::Tensor> ordered_layer_again(
    const at::Tensor& h, const optional<at::Tensor>& prev_gate,
    const at::Tensor& m, const at::Tensor& logits,
    const at::Tensor& norm_weight, const at::Tensor& norm_bias, int64_t mode,
    double eps, double p, int64_t seed, int64_t step, int64_t site) {
  static const auto op = find_op<decltype(ordered_layer_again)>(
      "ordered_gnn::ordered_layer_again");
  return op.call(h, prev_gate, m, logits, norm_weight, norm_bias, mode, eps, p,
                 seed, step, site);
}

GateMode layer_mode(Gating gating, bool has_prev_gate) {
  TORCH_CHECK(gating == Gating::ordered || gating == Gating::softor,
              "ordered_layer: gating must be ordered or softor, got ",
              to_string(gating));
  // Of zeros, softor makes the ordered gate, to the bit.
  return gating == Gating::softor && has_prev_gate ? GateMode::softor
                                                   : GateMode::ordered;
}

}  // namespace detail

OrderedGateResult ordered_layer(const Graph& graph, const at::Tensor& row_scale,
                                const at::Tensor& col_scale,
                                const at::Tensor& h,
                                const at::Tensor& prev_gate,
                                const OrderedLayerParameters& parameters,
                                const OrderedLayerSettings& settings) {
  const auto mode = detail::layer_mode(settings.gating, prev_gate.defined());
  const Adjacency& in = graph.in();
  // The transpose is for backward, and building it is not free.
  const Adjacency& out = at::GradMode::is_enabled() ? graph.out() : in;
  const DropoutKey& key = settings.dropout_key;
  auto results = detail::ordered_layer(
      in.rowptr, in.col, out.rowptr, out.col, detail::when_defined(row_scale),
      detail::when_defined(col_scale), h, detail::when_defined(prev_gate),
      parameters.gate_weight, parameters.gate_bias, parameters.norm_weight,
      parameters.norm_bias, static_cast<int64_t>(mode), settings.norm_eps,
      settings.dropout, key.seed, key.step, key.site, settings.reuse_memory,
      /*keep=*/false);
  return {std::move(std::get<0>(results)), std::move(std::get<1>(results))};
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "ordered_layer(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, Tensor? row_scale, Tensor? col_scale, Tensor h, "
      "Tensor? prev_gate, Tensor gate_weight, Tensor gate_bias, "
      "Tensor norm_weight, Tensor norm_bias, int mode, float eps, float p, "
      "int seed, int step, int site, bool reuse_memory, bool keep) "
      "-> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "ordered_layer_backward(Tensor rowptr, Tensor col, Tensor t_rowptr, "
      "Tensor t_col, "
      "Tensor? row_scale, Tensor? col_scale, Tensor h, Tensor? prev_gate, "
      "Tensor gate_weight, Tensor norm_weight, Tensor(b!) gate, "
      "Tensor? m, Tensor(c!) logits, Tensor mean, Tensor rstd, "
      "Tensor(a!) grad_out, "
      "Tensor(d!)? grad_gate, int mode, float p, int seed, int step, int site, "
      "bool reuse_memory) "
      "-> (Tensor(a!), Tensor(b!), Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "ordered_layer_again(Tensor h, Tensor? prev_gate, Tensor m, "
      "Tensor logits, Tensor norm_weight, Tensor norm_bias, int mode, "
      "float eps, float p, int seed, int step, int site) "
      "-> (Tensor, Tensor)");
}

}  // namespace ordered_gnn
