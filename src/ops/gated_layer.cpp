#include "ops/detail/gated_layer.h"

#include <ATen/core/grad_mode.h>

#include "ops/detail/checks.h"

namespace ordered_gnn::detail {
namespace {

thread_local int64_t largest_regathered = 10;

}  // namespace

int64_t regather_degree() { return largest_regathered; }

TimeFirst::TimeFirst() : before_(largest_regathered) {
  largest_regathered = kDegree;
}

TimeFirst::~TimeFirst() { largest_regathered = before_; }

ScaledLists layer_lists(const Graph& graph, const OrderedLayerInput& input) {
  const Adjacency& in = graph.in();
  // The transpose is for backward, and building it is not free.
  const Adjacency& out = at::GradMode::is_enabled() ? graph.out() : in;
  return scaled_lists(in, out, input.row_scale, input.col_scale);
}

GateMode layer_mode(const char* op, Gating gating,
                    const at::Tensor& prev_gate) {
  TORCH_CHECK(gating == Gating::ordered || gating == Gating::softor, op,
              ": gating must be ordered or softor, got ", to_string(gating));
  // Of zeros, softor makes the ordered gate, to the bit.
  return gating == Gating::softor && prev_gate.defined() ? GateMode::softor
                                                         : GateMode::ordered;
}

void check_prev_gate(const char* op, int64_t mode,
                     const optional<at::Tensor>& prev_gate, int64_t rows,
                     int64_t gates, const at::Tensor& h) {
  TORCH_CHECK(mode == 1 || prev_gate.has_value(), op,
              ": softor needs the gate before");
  if (!prev_gate.has_value()) return;
  check_shape(op, "prev_gate", *prev_gate, {rows, gates});
  check_like(op, "prev_gate", *prev_gate, "h", h);
}

}  // namespace ordered_gnn::detail
