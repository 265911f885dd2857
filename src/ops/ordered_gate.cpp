#include "ordered_gnn/ops/ordered_gate.h"

#include <torch/library.h>

#include <vector>

#include "core/names.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/detail/arguments.h"
#include "ops/detail/checks.h"
#include "ops/detail/ordered_gate.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace {

const std::vector<std::string> kGatingNames = {"none", "simple", "ordered",
                                               "softor"};

kernels::GateMode gate_mode(Gating gating) {
  switch (gating) {
    case Gating::simple:
      return kernels::GateMode::simple;
    case Gating::ordered:
      return kernels::GateMode::ordered;
    case Gating::softor:
      return kernels::GateMode::softor;
    case Gating::none:
      break;
  }
  TORCH_CHECK(false, "ordered_gate: gating 'none' has no gate to compute");
}

}  // namespace

std::string to_string(Gating gating) {
  return kGatingNames[static_cast<size_t>(gating)];
}

Gating parse_gating(const std::string& name) {
  return core::parse_enum<Gating>("gating", name, kGatingNames);
}

namespace detail {

void check_ordered_gate(const OrderedGateArguments& arguments) {
  constexpr const char* kOp = "ordered_gate";
  const int64_t mode = arguments.mode;
  const at::Tensor &logits = arguments.logits, &h = arguments.h;
  TORCH_CHECK(mode >= 0 && mode <= 2, kOp, ": mode must be 0, 1 or 2, got ",
              mode);
  check_rows_type(kOp, "h", h);
  TORCH_CHECK(h.dim() == 2, kOp, ": h must be [N, D], got ", h.sizes());
  TORCH_CHECK(logits.dim() == 2 && logits.size(0) == h.size(0), kOp,
              ": logits must be [", h.size(0), ", G] to match h, got ",
              logits.sizes());
  TORCH_CHECK(logits.size(1) > 0 && h.size(1) % logits.size(1) == 0, kOp, ": ",
              logits.size(1), " gates do not divide the width ", h.size(1));
  check_shape(kOp, "m", arguments.m, h.sizes());
  check_shape(kOp, "prev_gate", arguments.prev_gate, logits.sizes());
  check_like(kOp, "m", arguments.m, "h", h);
  check_like(kOp, "logits", logits, "h", h);
  check_like(kOp, "prev_gate", arguments.prev_gate, "h", h);
}

std::tuple<at::Tensor, at::Tensor> ordered_gate(
    const OrderedGateArguments& arguments) {
  return call_op<ordered_gate>("ordered_gate", arguments);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(const OrderedGateBackwardArguments& arguments) {
  return call_op<ordered_gate_backward>("ordered_gate_backward", arguments);
}

}  // namespace detail

OrderedGateResult ordered_gate(Gating gating, const at::Tensor& logits,
                               const at::Tensor& prev_gate, const at::Tensor& h,
                               const at::Tensor& m) {
  auto [combined, gate] = detail::ordered_gate(
      {static_cast<int64_t>(gate_mode(gating)), logits, prev_gate, h, m});
  return {std::move(combined), std::move(gate)};
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "ordered_gate(int gating, Tensor logits, Tensor prev_gate, Tensor h, "
      "Tensor m) -> (Tensor, Tensor)",
      detail::traceable());
  m.def(
      "ordered_gate_backward(int gating, Tensor logits, Tensor prev_gate, "
      "Tensor h, Tensor m, Tensor gate, Tensor grad_h, Tensor? grad_gate) "
      "-> (Tensor, Tensor, Tensor, Tensor)",
      detail::traceable());
}

}  // namespace ordered_gnn
