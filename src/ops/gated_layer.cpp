#include "ops/detail/gated_layer.h"

#include <ATen/core/grad_mode.h>

#include "ops/detail/checks.h"

namespace ordered_gnn::detail {
namespace {

constexpr int64_t kRegatherDegree = 10;

thread_local bool time_first = false;

}  // namespace

TimeFirst::TimeFirst() : before_(time_first) { time_first = true; }

TimeFirst::~TimeFirst() { time_first = before_; }

bool is_time_first() { return time_first; }

int64_t regather_degree() {
  return time_first ? TimeFirst::kDegree : kRegatherDegree;
}

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
