#include "ops/cuda/gate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/gate_norm.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

int gates_of(const at::Tensor& logits) {
  TORCH_CHECK(logits.size(1) <= kMaxGates, "ordered_gate: at most ", kMaxGates,
              " gates on a GPU, got ", logits.size(1));
  return static_cast<int>(logits.size(1));
}

}  // namespace

void gate_forward(const GateForwardTensors& tensors) {
  const OnDevice device(tensors.h);
  AT_DISPATCH_FLOATING_TYPES(tensors.h.scalar_type(), "ordered_gate", [&] {
    GateNormForward<scalar_t> job;
    job.mode = static_cast<GateMode>(tensors.mode);
    job.logits = tensors.logits.data_ptr<scalar_t>();
    job.prev_gate = tensors.prev_gate.data_ptr<scalar_t>();
    job.h = tensors.h.data_ptr<scalar_t>();
    job.m = tensors.m.data_ptr<scalar_t>();
    job.norm_weight = pointer_of<scalar_t>(tensors.norm_weight);
    job.norm_bias = pointer_of<scalar_t>(tensors.norm_bias);
    job.gate = tensors.gate.data_ptr<scalar_t>();
    job.out = tensors.out.data_ptr<scalar_t>();
    job.mean = pointer_of<scalar_t>(tensors.mean);
    job.rstd = pointer_of<scalar_t>(tensors.rstd);
    job.rows = tensors.h.size(0);
    job.gates = gates_of(tensors.logits);
    job.dim = width_of(tensors.h);
    job.eps = tensors.eps;
    job.mask = DropoutMask(tensors.key, tensors.p);
    C10_CUDA_CHECK(launch_gate_norm_forward(job, device.stream()));
  });
}

at::Tensor gate_backward(const GateBackwardTensors& tensors) {
  const OnDevice device(tensors.h);
  const int64_t rows = tensors.h.size(0);
  const int gates = gates_of(tensors.logits);
  const int dim = width_of(tensors.h);
  at::Tensor partial;
  AT_DISPATCH_FLOATING_TYPES(tensors.h.scalar_type(), "ordered_gate", [&] {
    if (tensors.norm_weight.defined()) {
      partial = at::empty({gate_norm_backward_blocks<scalar_t>(rows, gates),
                           2 * static_cast<int64_t>(dim) + gates},
                          tensors.h.options());
    }
    GateNormBackward<scalar_t> job;
    job.mode = static_cast<GateMode>(tensors.mode);
    job.logits = tensors.logits.data_ptr<scalar_t>();
    job.prev_gate = tensors.prev_gate.data_ptr<scalar_t>();
    job.h = tensors.h.data_ptr<scalar_t>();
    job.m = tensors.m.data_ptr<scalar_t>();
    job.gate = tensors.gate.data_ptr<scalar_t>();
    job.norm_weight = pointer_of<scalar_t>(tensors.norm_weight);
    job.mean = pointer_of<scalar_t>(tensors.mean);
    job.rstd = pointer_of<scalar_t>(tensors.rstd);
    job.grad_out = tensors.grad_out.data_ptr<scalar_t>();
    job.grad_gate = pointer_of<scalar_t>(tensors.grad_gate);
    job.grad_logits = tensors.grad_logits.data_ptr<scalar_t>();
    job.grad_prev = pointer_of<scalar_t>(tensors.grad_prev);
    job.grad_h = tensors.grad_h.data_ptr<scalar_t>();
    job.grad_m = tensors.grad_m.data_ptr<scalar_t>();
    job.partial = pointer_of<scalar_t>(partial);
    job.rows = rows;
    job.gates = gates;
    job.dim = dim;
    job.mask = DropoutMask(tensors.key, tensors.p);
    C10_CUDA_CHECK(launch_gate_norm_backward(job, device.stream()));
  });
  return partial.defined() ? sum_partials(partial) : at::Tensor();
}

}  // namespace ordered_gnn::cuda
