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
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

using detail::optional;
using detail::OrderedLayerOutputs;

at::Tensor aggregate(const ListSum& list, const at::Tensor& h) {
  const at::Tensor m = at::empty_like(h);
  list_sum(list, h, m);
  return m;
}

OrderedLayerOutputs ordered_layer(
    const at::Tensor& rowptr, const at::Tensor& col,
    const at::Tensor& /*t_rowptr*/, const at::Tensor& /*t_col*/,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& gate_bias, const at::Tensor& norm_weight,
    const at::Tensor& norm_bias, int64_t mode, double eps, double p,
    int64_t seed, int64_t step, int64_t site, bool /*reuse_memory*/,
    bool keep) {
  detail::check_ordered_layer(rowptr, col, row_scale, col_scale, h, prev_gate,
                              gate_weight, gate_bias, norm_weight, norm_bias,
                              mode, p);
  const OnDevice device(h);
  GateForwardTensors job;
  job.mode = mode;
  job.h = h.contiguous();
  job.m = aggregate({rowptr, col, packed(row_scale), packed(col_scale), {}, {}},
                    job.h);
  job.logits = pair_affine(job.h, job.m, gate_weight, gate_bias);
  job.prev_gate = packed(prev_gate);
  finish_layer(job, norm_weight, norm_bias, eps, p, {seed, step, site});
  if (!keep) return {job.out, job.gate, {}, {}, {}, {}};
  // The gate product needs m in memory anyway: keeping it costs no time, only
  // room, and gathering it again takes a fifth of a layer.
  return {job.out, job.gate, job.m, job.logits, job.mean, job.rstd};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
           at::Tensor>
ordered_layer_backward(
    const at::Tensor& /*rowptr*/, const at::Tensor& /*col*/,
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& norm_weight, const at::Tensor& gate,
    const optional<at::Tensor>& m, const at::Tensor& logits,
    const at::Tensor& mean, const at::Tensor& rstd, const at::Tensor& grad_out,
    const optional<at::Tensor>& grad_gate, int64_t mode, double p, int64_t seed,
    int64_t step, int64_t site, bool reuse_memory) {
  const OnDevice device(h);
  const at::Tensor rows = packed(row_scale), columns = packed(col_scale);
  GateBackwardTensors job;
  job.mode = mode;
  job.h = h.contiguous();
  job.m = m.value();
  job.logits = logits;
  job.prev_gate = packed(prev_gate);
  job.gate = gate.contiguous();
  job.norm_weight = norm_weight.contiguous();
  job.mean = mean;
  job.rstd = rstd;
  job.grad_out = grad_out.contiguous();
  job.grad_gate = packed(grad_gate);
  job.p = p;
  job.key = {seed, step, site};
  const RowGradients grads = place_gradients(job, reuse_memory);
  const std::vector<at::Tensor> of_parameters = gate_backward(job);
  add_gradients(grads, gate_weight);
  const at::Tensor grad_weight =
      pair_weight_gradient(grads.logits, job.h, job.m);
  const bool in_place = reuse_memory && job.h.size(1) <= kGateInPlaceDim;
  const at::Tensor grad_h = in_place ? job.grad_out : at::empty_like(job.h);
  // The transposed lists with the two scales exchanged.
  list_sum({t_rowptr, t_col, columns, rows, {}, {}}, grads.m, grad_h,
           /*before=*/grads.h);
  at::Tensor grad_prev = grads.prev_gate;
  if (!grad_prev.defined() && prev_gate.has_value()) {
    grad_prev = at::zeros_like(logits);
  }
  return {grad_h,           grad_prev,        grad_weight,
          of_parameters[2], of_parameters[0], of_parameters[1]};
}

std::tuple<at::Tensor, at::Tensor> ordered_layer_again(
    const at::Tensor& h, const optional<at::Tensor>& prev_gate,
    const at::Tensor& m, const at::Tensor& logits,
    const at::Tensor& norm_weight, const at::Tensor& norm_bias, int64_t mode,
    double eps, double p, int64_t seed, int64_t step, int64_t site) {
  const OnDevice device(h);
  GateForwardTensors job;
  job.mode = mode;
  job.h = h.contiguous();
  job.m = m;
  job.logits = logits;
  job.prev_gate = packed(prev_gate);
  finish_layer(job, norm_weight, norm_bias, eps, p, {seed, step, site});
  return {job.out, job.gate};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("ordered_layer", ordered_layer);
  m.impl("ordered_layer_backward", ordered_layer_backward);
  m.impl("ordered_layer_again", ordered_layer_again);
}

}  // namespace ordered_gnn::cuda
