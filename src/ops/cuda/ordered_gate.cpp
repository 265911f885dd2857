#include "ops/detail/ordered_gate.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/gate.h"
#include "ops/cuda/kernels/gates/gate_norm.h"

namespace ordered_gnn::cuda {
namespace {

std::tuple<at::Tensor, at::Tensor> ordered_gate(
    const detail::OrderedGateArguments& arguments) {
  detail::check_ordered_gate(arguments);
  const OnDevice device(arguments.h);
  GateForwardTensors tensors;
  tensors.mode = arguments.mode;
  tensors.logits = arguments.logits.contiguous();
  tensors.prev_gate = arguments.prev_gate.contiguous();
  tensors.h = arguments.h.contiguous();
  tensors.m = arguments.m.contiguous();
  tensors.gate = at::empty_like(tensors.logits);
  tensors.out = at::empty_like(tensors.h);
  gate_forward(tensors);
  return {tensors.out, tensors.gate};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(const detail::OrderedGateBackwardArguments& arguments) {
  const detail::OrderedGateArguments& forward = arguments.forward;
  detail::check_ordered_gate(forward);
  const OnDevice device(forward.h);
  const bool softor = static_cast<GateMode>(forward.mode) == GateMode::softor;
  GateBackwardTensors tensors;
  tensors.mode = forward.mode;
  tensors.logits = forward.logits.contiguous();
  tensors.prev_gate = forward.prev_gate.contiguous();
  tensors.h = forward.h.contiguous();
  tensors.m = forward.m.contiguous();
  tensors.gate = arguments.gate.contiguous();
  tensors.grad_out = arguments.grad_h.contiguous();
  tensors.grad_gate = packed(arguments.grad_gate);
  tensors.grad_logits = at::empty_like(tensors.logits);
  if (softor) tensors.grad_prev = at::empty_like(tensors.logits);
  tensors.grad_h = at::empty_like(tensors.h);
  tensors.grad_m = at::empty_like(tensors.h);
  gate_backward(tensors);
  return {tensors.grad_logits,
          softor ? tensors.grad_prev : at::zeros_like(tensors.logits),
          tensors.grad_h, tensors.grad_m};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("ordered_gate", detail::registered<ordered_gate>);
  m.impl("ordered_gate_backward", detail::registered<ordered_gate_backward>);
}

}  // namespace ordered_gnn::cuda
