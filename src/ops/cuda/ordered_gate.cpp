#include "ops/detail/ordered_gate.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/gate.h"
#include "ops/cuda/kernels/gates/gate_norm.h"

namespace ordered_gnn::cuda {
namespace {

using detail::optional;

std::tuple<at::Tensor, at::Tensor> ordered_gate(int64_t mode,
                                                const at::Tensor& logits,
                                                const at::Tensor& prev_gate,
                                                const at::Tensor& h,
                                                const at::Tensor& m) {
  detail::check_ordered_gate(mode, logits, prev_gate, h, m);
  const OnDevice device(h);
  GateForwardTensors tensors;
  tensors.mode = mode;
  tensors.logits = logits.contiguous();
  tensors.prev_gate = prev_gate.contiguous();
  tensors.h = h.contiguous();
  tensors.m = m.contiguous();
  tensors.gate = at::empty_like(tensors.logits);
  tensors.out = at::empty_like(tensors.h);
  gate_forward(tensors);
  return {tensors.out, tensors.gate};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_gate_backward(int64_t mode, const at::Tensor& logits,
                      const at::Tensor& prev_gate, const at::Tensor& h,
                      const at::Tensor& m, const at::Tensor& gate,
                      const at::Tensor& grad_h,
                      const optional<at::Tensor>& grad_gate) {
  detail::check_ordered_gate(mode, logits, prev_gate, h, m);
  const OnDevice device(h);
  const bool softor = static_cast<GateMode>(mode) == GateMode::softor;
  GateBackwardTensors tensors;
  tensors.mode = mode;
  tensors.logits = logits.contiguous();
  tensors.prev_gate = prev_gate.contiguous();
  tensors.h = h.contiguous();
  tensors.m = m.contiguous();
  tensors.gate = gate.contiguous();
  tensors.grad_out = grad_h.contiguous();
  tensors.grad_gate = packed(grad_gate);
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
  m.impl("ordered_gate", ordered_gate);
  m.impl("ordered_gate_backward", ordered_gate_backward);
}

}  // namespace ordered_gnn::cuda
