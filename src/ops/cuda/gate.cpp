#include "ops/cuda/gate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/gates/gate_norm.h"

namespace ordered_gnn::cuda {
namespace {

int gates_of(const at::Tensor& logits) {
  TORCH_CHECK(logits.size(1) <= kMaxGates, "ordered_gate: at most ", kMaxGates,
              " gates on a GPU, got ", logits.size(1));
  return static_cast<int>(logits.size(1));
}

// Elements from row to row of both results.
int64_t grad_pitch(const at::Tensor& grad_h, const at::Tensor& grad_m) {
  for (const at::Tensor& grad : {grad_h, grad_m}) {
    TORCH_INTERNAL_ASSERT(grad.stride(0) == grad_h.stride(0) &&
                          (grad.size(1) <= 1 || grad.stride(1) == 1));
  }
  return grad_h.stride(0);
}

// What forward and backward have in common.
template <typename T, typename Job, typename Tensors>
Job job_of(const Tensors& tensors) {
  using C = Compute<Kernel<T>>;
  Job job;
  job.mode = static_cast<GateMode>(tensors.mode);
  job.logits = rows_of<T>(tensors.logits);
  job.prev_gate = rows_of<T>(tensors.prev_gate);
  job.h = rows_of<T>(tensors.h);
  job.m = rows_of<T>(tensors.m);
  job.gate = rows_of<T>(tensors.gate);
  job.norm_weight = pointer_of<C>(tensors.norm_weight);
  job.mean = pointer_of<C>(tensors.mean);
  job.rstd = pointer_of<C>(tensors.rstd);
  job.rows = tensors.h.size(0);
  job.gates = gates_of(tensors.logits);
  job.dim = width_of(tensors.h);
  job.mask = mask_of(tensors.dropout);
  // Rows of a part say their nodes themselves.
  const int64_t* const own_nodes = tensors.dropout.nodes(job.rows);
  TORCH_CHECK(
      own_nodes == nullptr || !tensors.nodes.defined(),
      "ordered_gate: the step of the dropout tells other nodes than the "
      "rows that are asked for");
  job.nodes =
      own_nodes != nullptr ? own_nodes : pointer_of<int64_t>(tensors.nodes);
  return job;
}

template <typename T>
GateNormForward<Kernel<T>> forward_job(const GateForwardTensors& tensors) {
  using Job = GateNormForward<Kernel<T>>;
  Job job = job_of<T, Job>(tensors);
  job.norm_bias = pointer_of<Compute<Kernel<T>>>(tensors.norm_bias);
  job.out = rows_of<T>(tensors.out);
  job.eps = tensors.eps;
  return job;
}

template <typename T>
GateNormBackward<Kernel<T>> backward_job(const GateBackwardTensors& tensors) {
  using Job = GateNormBackward<Kernel<T>>;
  Job job = job_of<T, Job>(tensors);
  job.grad_out = rows_of<T>(tensors.grad_out);
  job.grad_gate = rows_of<T>(tensors.grad_gate);
  job.grad_logits = rows_of<T>(tensors.grad_logits);
  job.grad_prev = rows_of<T>(tensors.grad_prev);
  job.grad_h = rows_of<T>(tensors.grad_h);
  job.grad_m = rows_of<T>(tensors.grad_m);
  job.grad_pitch = grad_pitch(tensors.grad_h, tensors.grad_m);
  job.partial = pointer_of<Compute<Kernel<T>>>(tensors.partial);
  return job;
}

}  // namespace

void gate_forward(const GateForwardTensors& tensors) {
  const OnDevice device(tensors.h);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, tensors.h.scalar_type(), "ordered_gate", [&] {
        C10_CUDA_CHECK(launch_gate_norm_forward(forward_job<scalar_t>(tensors),
                                                device.stream()));
      });
}

GateForwardTensors layer_inputs(const detail::LayerArguments& layer) {
  GateForwardTensors tensors;
  tensors.mode = layer.mode;
  tensors.h = layer.h.contiguous();
  tensors.prev_gate = packed(layer.prev_gate);
  tensors.norm_weight = layer.parameters.norm_weight.contiguous();
  tensors.norm_bias = layer.parameters.norm_bias.contiguous();
  tensors.eps = layer.eps;
  tensors.dropout = layer.dropout;
  return tensors;
}

void finish_layer(GateForwardTensors& tensors) {
  tensors.gate = fresh_like(tensors.logits);
  tensors.out = fresh_like(tensors.h);
  if (!tensors.mean.defined()) {
    const at::TensorOptions computed = tensors.norm_weight.options();
    tensors.mean = fresh({tensors.h.size(0)}, computed);
    tensors.rstd = fresh({tensors.h.size(0)}, computed);
  }
  gate_forward(tensors);
}

GateBackwardTensors layer_inputs(const detail::KeptLayer& kept,
                                 const at::Tensor& grad_out) {
  GateBackwardTensors tensors;
  tensors.mode = kept.mode;
  tensors.h = kept.h.contiguous();
  tensors.m = kept.m.value().contiguous();
  tensors.logits = kept.logits;
  tensors.prev_gate = packed(kept.prev_gate);
  tensors.gate = kept.gate.contiguous();
  tensors.norm_weight = kept.norm_weight.contiguous();
  tensors.mean = kept.mean;
  tensors.rstd = kept.rstd;
  tensors.grad_out = grad_out.contiguous();
  tensors.dropout = kept.dropout;
  return tensors;
}

int64_t share_rows(const GateBackwardTensors& tensors) {
  int64_t blocks = 0;
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, tensors.h.scalar_type(), "ordered_gate", [&] {
        blocks = gate_norm_backward_blocks<Kernel<scalar_t>>(
            tensors.h.size(0), gates_of(tensors.logits));
      });
  return blocks;
}

void gate_backward(const GateBackwardTensors& tensors) {
  const OnDevice device(tensors.h);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, tensors.h.scalar_type(), "ordered_gate", [&] {
        C10_CUDA_CHECK(launch_gate_norm_backward(
            backward_job<scalar_t>(tensors), device.stream()));
      });
}

}  // namespace ordered_gnn::cuda
