#include "ops/detail/ordered_gate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <vector>

#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/gate_kernel.h"
#include "ops/detail/arguments.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

using detail::OrderedGateArguments;

std::tuple<at::Tensor, at::Tensor> ordered_gate(
    const OrderedGateArguments& arguments) {
  detail::check_ordered_gate(arguments);
  const at::Tensor logit_rows = arguments.logits.contiguous();
  const at::Tensor prev_rows = arguments.prev_gate.contiguous();
  const at::Tensor h_rows = arguments.h.contiguous();
  const at::Tensor m_rows = arguments.m.contiguous();
  const at::Tensor out = at::empty_like(h_rows);
  const at::Tensor gate = at::empty_like(logit_rows);
  AT_DISPATCH_FLOATING_TYPES(h_rows.scalar_type(), "ordered_gate", [&] {
    kernels::GateForward<scalar_t> job;
    job.mode = static_cast<kernels::GateMode>(arguments.mode);
    job.logits = logit_rows.data_ptr<scalar_t>();
    job.prev_gate = prev_rows.data_ptr<scalar_t>();
    job.h = h_rows.data_ptr<scalar_t>();
    job.m = m_rows.data_ptr<scalar_t>();
    job.out = out.data_ptr<scalar_t>();
    job.gate = gate.data_ptr<scalar_t>();
    job.gates = logit_rows.size(1);
    job.dim = h_rows.size(1);
    parallel_ranges(h_rows.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
      std::vector<scalar_t> scratch(
          kernels::gate_scratch_size(job.gates, job.dim));
      ORDERED_GNN_SIMD_CALL(gate_forward(job, begin, end, scratch.data()));
    });
  });
  return {out, gate};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(const detail::OrderedGateBackwardArguments& arguments) {
  const OrderedGateArguments& forward = arguments.forward;
  detail::check_ordered_gate(forward);
  const auto gate_mode = static_cast<kernels::GateMode>(forward.mode);
  const bool has_prev = gate_mode == kernels::GateMode::softor;
  const at::Tensor logit_rows = forward.logits.contiguous();
  const at::Tensor prev_rows = forward.prev_gate.contiguous();
  const at::Tensor h_rows = forward.h.contiguous();
  const at::Tensor m_rows = forward.m.contiguous();
  const at::Tensor grad_rows = arguments.grad_h.contiguous();
  const at::Tensor gate_grad = detail::packed(arguments.grad_gate);
  const at::Tensor d_logits = at::empty_like(logit_rows);
  const at::Tensor d_prev =
      has_prev ? at::empty_like(logit_rows) : at::Tensor();
  const at::Tensor d_h = at::empty_like(h_rows);
  const at::Tensor d_m = at::empty_like(h_rows);
  AT_DISPATCH_FLOATING_TYPES(h_rows.scalar_type(), "ordered_gate", [&] {
    kernels::GateBackward<scalar_t> job;
    job.mode = gate_mode;
    job.logits = logit_rows.data_ptr<scalar_t>();
    job.prev_gate = prev_rows.data_ptr<scalar_t>();
    job.h = h_rows.data_ptr<scalar_t>();
    job.m = m_rows.data_ptr<scalar_t>();
    job.gate = arguments.gate.data_ptr<scalar_t>();
    job.grad_out = grad_rows.data_ptr<scalar_t>();
    job.grad_gate =
        gate_grad.defined() ? gate_grad.data_ptr<scalar_t>() : nullptr;
    job.grad_logits = d_logits.data_ptr<scalar_t>();
    job.grad_prev_gate = has_prev ? d_prev.data_ptr<scalar_t>() : nullptr;
    job.grad_h = d_h.data_ptr<scalar_t>();
    job.grad_m = d_m.data_ptr<scalar_t>();
    job.gates = logit_rows.size(1);
    job.dim = h_rows.size(1);
    parallel_ranges(h_rows.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
      std::vector<scalar_t> scratch(
          kernels::gate_scratch_size(job.gates, job.dim));
      ORDERED_GNN_SIMD_CALL(gate_backward(job, begin, end, scratch.data()));
    });
  });
  return {d_logits, has_prev ? d_prev : at::zeros_like(logit_rows), d_h, d_m};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("ordered_gate", detail::registered<ordered_gate>);
  m.impl("ordered_gate_backward", detail::registered<ordered_gate_backward>);
}

}  // namespace ordered_gnn::cpu
