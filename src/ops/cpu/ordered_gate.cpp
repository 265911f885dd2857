#include "ops/detail/ordered_gate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <vector>

#include "ops/cpu/bf16/ordered_gate.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/detail/arguments.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

using detail::OrderedGateArguments;

// Rows of the inputs, one after the other.
struct GateRows {
  explicit GateRows(const OrderedGateArguments& arguments)
      : logits(arguments.logits.contiguous()),
        prev_gate(arguments.prev_gate.contiguous()),
        h(arguments.h.contiguous()),
        m(arguments.m.contiguous()),
        mode(static_cast<kernels::GateMode>(arguments.mode)) {}

  // What forward and backward have in common.
  template <typename Job, typename T>
  Job job() const {
    Job job;
    job.mode = mode;
    job.logits = logits.data_ptr<T>();
    job.prev_gate = prev_gate.data_ptr<T>();
    job.h = h.data_ptr<T>();
    job.m = m.data_ptr<T>();
    job.gates = logits.size(1);
    job.dim = h.size(1);
    return job;
  }

  // Calls run(begin, end, scratch) on blocks of rows.
  template <typename T, typename Run>
  void for_blocks(const Run& run) const {
    parallel_ranges(h.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
      std::vector<T> scratch(
          kernels::gate_scratch_size(logits.size(1), h.size(1)));
      run(begin, end, scratch.data());
    });
  }

  at::Tensor logits, prev_gate, h, m;
  kernels::GateMode mode;
};

std::tuple<at::Tensor, at::Tensor> ordered_gate(
    const OrderedGateArguments& arguments) {
  detail::check_ordered_gate(arguments);
  if (bf16::is_stored_as(arguments.h)) return bf16::ordered_gate(arguments);
  const GateRows rows(arguments);
  const at::Tensor out = at::empty_like(rows.h);
  const at::Tensor gate = at::empty_like(rows.logits);
  AT_DISPATCH_FLOATING_TYPES(rows.h.scalar_type(), "ordered_gate", [&] {
    auto job = rows.job<kernels::GateForward<scalar_t>, scalar_t>();
    job.out = out.data_ptr<scalar_t>();
    job.gate = gate.data_ptr<scalar_t>();
    rows.for_blocks<scalar_t>(
        [&](int64_t begin, int64_t end, scalar_t* scratch) {
          ORDERED_GNN_SIMD_CALL(gate_forward(job, begin, end, scratch));
        });
  });
  return {out, gate};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(const detail::OrderedGateBackwardArguments& arguments) {
  const OrderedGateArguments& forward = arguments.forward;
  detail::check_ordered_gate(forward);
  if (bf16::is_stored_as(forward.h)) {
    return bf16::ordered_gate_backward(arguments);
  }
  const GateRows rows(forward);
  const bool has_prev = rows.mode == kernels::GateMode::softor;
  const at::Tensor grad_rows = arguments.grad_h.contiguous();
  const at::Tensor gate_grad = detail::packed(arguments.grad_gate);
  const at::Tensor d_logits = at::empty_like(rows.logits);
  const at::Tensor d_prev =
      has_prev ? at::empty_like(rows.logits) : at::Tensor();
  const at::Tensor d_h = at::empty_like(rows.h);
  const at::Tensor d_m = at::empty_like(rows.h);
  AT_DISPATCH_FLOATING_TYPES(rows.h.scalar_type(), "ordered_gate", [&] {
    auto job = rows.job<kernels::GateBackward<scalar_t>, scalar_t>();
    job.gate = arguments.gate.data_ptr<scalar_t>();
    job.grad_out = grad_rows.data_ptr<scalar_t>();
    job.grad_gate =
        gate_grad.defined() ? gate_grad.data_ptr<scalar_t>() : nullptr;
    job.grad_logits = d_logits.data_ptr<scalar_t>();
    job.grad_prev_gate = has_prev ? d_prev.data_ptr<scalar_t>() : nullptr;
    job.grad_h = d_h.data_ptr<scalar_t>();
    job.grad_m = d_m.data_ptr<scalar_t>();
    rows.for_blocks<scalar_t>(
        [&](int64_t begin, int64_t end, scalar_t* scratch) {
          ORDERED_GNN_SIMD_CALL(gate_backward(job, begin, end, scratch));
        });
  });
  return {d_logits, has_prev ? d_prev : at::zeros_like(rows.logits), d_h, d_m};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("ordered_gate", detail::registered<ordered_gate>);
  m.impl("ordered_gate_backward", detail::registered<ordered_gate_backward>);
}

}  // namespace ordered_gnn::cpu
