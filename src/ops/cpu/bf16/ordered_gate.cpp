// Work split: blocks of rows.
// Memory: rows are read and written in two bytes, a block is widened into
// scratch.
// Determinism: rows are computed independently.
#include "ops/cpu/bf16/ordered_gate.h"

#include <ATen/Functions.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/detail/arguments.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

// The inputs, row after row.
struct GateRows16 {
  explicit GateRows16(const detail::OrderedGateArguments& arguments)
      : logits(arguments.logits.contiguous()),
        prev_gate(arguments.prev_gate.contiguous()),
        h(arguments.h.contiguous()),
        m(arguments.m.contiguous()),
        mode(static_cast<kernels::GateMode>(arguments.mode)) {}

  // What forward and backward of a block have in common.
  template <typename Job>
  Job job(int64_t begin, int64_t rows) const {
    Job job;
    job.mode = mode;
    job.logits = widened_rows(kFreeSlot, logits, begin, rows);
    job.prev_gate = widened_rows(kFreeSlot + 1, prev_gate, begin, rows);
    job.h = widened_rows(kFreeSlot + 2, h, begin, rows);
    job.m = widened_rows(kFreeSlot + 3, m, begin, rows);
    job.gates = logits.size(1);
    job.dim = h.size(1);
    return job;
  }

  float* space() const {
    return float_scratch(kFreeSlot + 4,
                         kernels::gate_scratch_size(logits.size(1), h.size(1)));
  }

  at::Tensor logits, prev_gate, h, m;
  kernels::GateMode mode;
};

}  // namespace

std::tuple<at::Tensor, at::Tensor> ordered_gate(
    const detail::OrderedGateArguments& arguments) {
  const GateRows16 inputs(arguments);
  const at::Tensor out = core::recycled_like(inputs.h);
  const at::Tensor gate = core::recycled_like(inputs.logits);
  const int64_t gates = gate.size(1), dim = out.size(1);
  parallel_ranges(out.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    auto job = inputs.job<kernels::GateForward<float>>(begin, rows);
    job.gate = float_scratch(kFreeSlot + 5, rows * gates);
    job.out = float_scratch(kFreeSlot + 6, rows * dim);
    float* const space = inputs.space();
    if (job.mode == kernels::GateMode::simple) {
      ORDERED_GNN_SIMD_CALL(gate_forward(job, 0, rows, space));
    } else {
      ORDERED_GNN_SIMD_CALL(gate_open(job, 0, rows, space));
    }
    Bf16* const kept = row_of<Bf16>(gate, begin);
    ORDERED_GNN_SIMD_CALL(narrow_both(job.gate, rows * gates, kept));
    ORDERED_GNN_SIMD_CALL(gate_blend(job, 0, rows, space));
    narrow_rows(job.out, rows, out, begin);
  });
  return {out, gate};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(const detail::OrderedGateBackwardArguments& arguments) {
  const GateRows16 inputs(arguments.forward);
  const bool has_prev = inputs.mode == kernels::GateMode::softor;
  const at::Tensor gate = arguments.gate.contiguous();
  const at::Tensor grads = arguments.grad_h.contiguous();
  const at::Tensor gate_grads = detail::packed(arguments.grad_gate);
  const at::Tensor d_logits = core::recycled_like(inputs.logits);
  const at::Tensor d_prev = has_prev ? core::recycled_like(inputs.logits)
                                     : at::zeros_like(inputs.logits);
  const at::Tensor d_h = core::recycled_like(inputs.h);
  const at::Tensor d_m = core::recycled_like(inputs.h);
  const int64_t gates = gate.size(1), dim = d_h.size(1);
  parallel_ranges(d_h.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    auto job = inputs.job<kernels::GateBackward<float>>(begin, rows);
    job.gate = widened_rows(kFreeSlot + 5, gate, begin, rows);
    job.grad_out = widened_rows(kFreeSlot + 6, grads, begin, rows);
    job.grad_gate = widened_rows(kFreeSlot + 7, gate_grads, begin, rows);
    job.grad_logits = float_scratch(kFreeSlot + 8, rows * gates);
    job.grad_prev_gate =
        has_prev ? float_scratch(kFreeSlot + 9, rows * gates) : nullptr;
    job.grad_h = float_scratch(kFreeSlot + 10, rows * dim);
    job.grad_m = float_scratch(kFreeSlot + 11, rows * dim);
    ORDERED_GNN_SIMD_CALL(gate_backward(job, 0, rows, inputs.space()));
    narrow_rows(job.grad_logits, rows, d_logits, begin);
    if (has_prev) narrow_rows(job.grad_prev_gate, rows, d_prev, begin);
    narrow_rows(job.grad_h, rows, d_h, begin);
    narrow_rows(job.grad_m, rows, d_m, begin);
  });
  return {d_logits, d_prev, d_h, d_m};
}

}  // namespace ordered_gnn::cpu::bf16
