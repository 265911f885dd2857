#include "ops/detail/ordered_rows.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/gate.h"
#include "ops/cuda/products.h"
#include "ops/cuda/row_gradients.h"

namespace ordered_gnn::cuda {
namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_rows(const detail::OrderedRowsArguments& arguments) {
  const detail::LayerArguments& layer = arguments.layer;
  const OnDevice device(layer.h);
  GateForwardTensors job = layer_inputs(layer);
  job.nodes = arguments.nodes;
  job.m = arguments.m.contiguous();
  job.logits = pair_affine(job.h, job.m, layer.parameters.gate_weight,
                           layer.parameters.gate_bias);
  finish_layer(job);
  return {job.out, job.gate, job.logits, job.mean, job.rstd};
}

detail::OrderedRowsGradients ordered_rows_backward(
    const detail::OrderedRowsBackwardArguments& arguments) {
  const OnDevice device(arguments.kept.h);
  GateBackwardTensors job = layer_inputs(arguments.kept, arguments.grad_out);
  job.nodes = arguments.nodes;
  const RowGradients grads = place_gradients(job, /*reuse_memory=*/true);
  gate_backward(job);
  add_gradients(grads, arguments.kept.gate_weight);
  const ParameterGradients learned = parameter_gradients(job, grads);
  return {grads.h,           grads.m,
          grads.prev_gate,   learned.gate_weight,
          learned.gate_bias, learned.norm_weight,
          learned.norm_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("ordered_rows", detail::registered<ordered_rows>);
  m.impl("ordered_rows_backward", detail::registered<ordered_rows_backward>);
}

}  // namespace ordered_gnn::cuda
