// One layer is a sum over the neighbours, the gate product of both and one
// kernel for the rest; backward is its mirror image. [h ; m] is never
// built.
#include "ops/detail/ordered_layer.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/gate.h"
#include "ops/cuda/kernels/gates/gate_norm.h"
#include "ops/cuda/products.h"
#include "ops/cuda/row_gradients.h"
#include "ops/cuda/shared_block.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

// What backward reads besides the results; nobody else sees it.
void make_kept(GateForwardTensors& job, int64_t gates) {
  const int64_t rows = job.h.size(0);
  const at::ScalarType type = job.h.scalar_type();
  const at::ScalarType computed = job.norm_weight.scalar_type();
  make_tensors(job.h.device(), {{&job.m, {rows, job.h.size(1)}, type},
                                {&job.logits, {rows, gates}, type},
                                {&job.mean, {rows}, computed},
                                {&job.rstd, {rows}, computed}});
}

// Nothing comes to the gate before in mode ordered.
at::Tensor gradient_of_prev_gate(const detail::KeptLayer& kept,
                                 const RowGradients& grads) {
  if (grads.prev_gate.defined() || !kept.prev_gate.has_value()) {
    return grads.prev_gate;
  }
  return at::zeros_like(kept.logits);
}

detail::OrderedLayerOutputs ordered_layer(
    const detail::OrderedLayerArguments& arguments) {
  detail::check_ordered_layer(arguments);
  const detail::LayerArguments& layer = arguments.layer;
  const OnDevice device(layer.h);
  GateForwardTensors job = layer_inputs(layer);
  // Rows behind those of the lists only send.
  const at::Tensor senders = job.h;
  const int64_t rows = arguments.lists.rowptr.numel() - 1;
  if (senders.size(0) != rows) job.h = senders.narrow(0, 0, rows);
  make_kept(job, layer.parameters.gate_weight.size(0));
  list_sum(sum_over(arguments.lists), senders, job.m);
  pair_affine(job.h, job.m, layer.parameters.gate_weight,
              layer.parameters.gate_bias, job.logits);
  finish_layer(job);
  if (!arguments.keep) return {job.out, job.gate, {}, {}, {}, {}};
  // The gate product needs m in memory anyway: keeping it costs no time, only
  // room, and gathering it again takes a fifth of a layer.
  return {job.out, job.gate, job.m, job.logits, job.mean, job.rstd};
}

detail::OrderedLayerGradients ordered_layer_backward(
    const detail::OrderedLayerBackwardArguments& arguments) {
  const detail::KeptLayer& kept = arguments.kept;
  const bool reuse_memory = arguments.reuse_memory;
  const OnDevice device(kept.h);
  GateBackwardTensors job = layer_inputs(kept, arguments.grad_out);
  job.grad_gate = packed(arguments.grad_gate);
  const bool in_place = reuse_memory && job.h.size(1) <= kGateInPlaceDim;
  at::Tensor grad_h = in_place ? job.grad_out : at::Tensor();
  const RowGradients grads =
      place_gradients(job, reuse_memory, in_place ? nullptr : &grad_h);
  gate_backward(job);
  add_gradients(grads, kept.gate_weight);
  const ParameterGradients learned = parameter_gradients(job, grads);
  list_sum(sum_over(arguments.lists.transposed()), grads.m, grad_h,
           /*before=*/grads.h);
  return {grad_h,
          gradient_of_prev_gate(kept, grads),
          learned.gate_weight,
          learned.gate_bias,
          learned.norm_weight,
          learned.norm_bias};
}

detail::OrderedRowGradients ordered_layer_rows_backward(
    const detail::OrderedLayerBackwardArguments& arguments) {
  const detail::KeptLayer& kept = arguments.kept;
  const OnDevice device(kept.h);
  GateBackwardTensors job = layer_inputs(kept, arguments.grad_out);
  job.grad_gate = packed(arguments.grad_gate);
  const RowGradients grads = place_gradients(job, /*reuse_memory=*/false);
  gate_backward(job);
  add_gradients(grads, kept.gate_weight);
  const ParameterGradients learned = parameter_gradients(job, grads);
  return {grads.h,
          grads.m,
          gradient_of_prev_gate(kept, grads),
          learned.gate_weight,
          learned.gate_bias,
          learned.norm_weight,
          learned.norm_bias};
}

std::tuple<at::Tensor, at::Tensor> ordered_layer_again(
    const detail::OrderedLayerAgainArguments& arguments) {
  const OnDevice device(arguments.h);
  GateForwardTensors job;
  job.mode = arguments.mode;
  job.h = arguments.h.contiguous();
  job.m = arguments.m;
  job.logits = arguments.logits;
  job.prev_gate = packed(arguments.prev_gate);
  job.norm_weight = arguments.norm_weight.contiguous();
  job.norm_bias = arguments.norm_bias.contiguous();
  job.eps = arguments.eps;
  job.dropout = arguments.dropout;
  finish_layer(job);
  return {job.out, job.gate};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("ordered_layer", detail::registered_whole<ordered_layer>);
  m.impl("ordered_layer_backward",
         detail::registered_whole<ordered_layer_backward>);
  m.impl("ordered_layer_backward_", detail::registered<ordered_layer_backward>);
  m.impl("ordered_layer_rows_backward",
         detail::registered<ordered_layer_rows_backward>);
  m.impl("ordered_layer_again", detail::registered<ordered_layer_again>);
}

}  // namespace ordered_gnn::cuda
