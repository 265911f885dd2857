// One layer is a sum over the neighbours, the gate product of both and one
// kernel for the rest; backward is its mirror image. [h ; m] is never
// built.
#include "ops/detail/ordered_layer.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/gate.h"
#include "ops/cuda/kernels/gate_norm.h"
#include "ops/cuda/products.h"
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

// Up to this size the gradients of h and m lie side by side, so that the
// product that adds to both is one call: for small graphs calls count, not
// room.
constexpr int64_t kJoinedBytes = int64_t{64} << 20;

// Where the gradients of h and m in the blend go, and, once the neighbours'
// share is added, that of h; and those of the logits and of the gate before.
struct RowGradients {
  at::Tensor h, m;
  at::Tensor both;  // [h ; m] side by side, or undefined
  at::Tensor result;
  at::Tensor logits, prev_gate;
};

// With `reuse_memory` in that of what the kernel reads: it is done with a row
// of the gradient, logits and gate before it writes one.
RowGradients row_gradients(const GateBackwardTensors& job, bool reuse_memory) {
  const int64_t width = job.h.size(1);
  const bool in_place = reuse_memory && width <= kGateInPlaceDim;
  RowGradients grads;
  grads.result = in_place ? job.grad_out : at::empty_like(job.h);
  grads.logits = in_place ? job.logits : at::empty_like(job.logits);
  grads.prev_gate = in_place ? job.gate : at::empty_like(job.logits);
  if (in_place && static_cast<int64_t>(2 * job.h.nbytes()) > kJoinedBytes) {
    grads.h = job.grad_out;
    grads.m = at::empty_like(job.h);
    return grads;
  }
  grads.both = at::empty({job.h.size(0), 2 * width}, job.h.options());
  grads.h = grads.both.narrow(1, 0, width);
  grads.m = grads.both.narrow(1, width, width);
  return grads;
}

// Adds what reaches h and m through the logits.
void add_gradients(const at::Tensor& grad_logits, const at::Tensor& gate_weight,
                   const RowGradients& rows) {
  if (rows.both.defined()) {
    add_input_gradient(grad_logits, gate_weight, rows.both);
  } else {
    add_pair_input_gradient(grad_logits, gate_weight, rows.h, rows.m);
  }
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
  job.norm_weight = norm_weight.contiguous();
  job.norm_bias = norm_bias.contiguous();
  job.gate = at::empty_like(job.logits);
  job.out = at::empty_like(job.h);
  job.mean = at::empty({h.size(0)}, norm_weight.options());
  job.rstd = at::empty_like(job.mean);
  job.eps = eps;
  job.p = p;
  job.key = {seed, step, site};
  gate_forward(job);
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
  const RowGradients grads = row_gradients(job, reuse_memory);
  const bool softor = static_cast<GateMode>(mode) == GateMode::softor;
  job.grad_h = grads.h;
  job.grad_m = grads.m;
  job.grad_logits = grads.logits;
  if (softor) job.grad_prev = grads.prev_gate;
  job.p = p;
  job.key = {seed, step, site};
  const std::vector<at::Tensor> of_parameters = gate_backward(job);
  add_gradients(job.grad_logits, gate_weight, grads);
  const at::Tensor grad_weight =
      pair_weight_gradient(job.grad_logits, job.h, job.m);
  // The transposed lists with the two scales exchanged.
  list_sum({t_rowptr, t_col, columns, rows, {}, {}}, grads.m, grads.result,
           /*before=*/grads.h);
  if (!softor && prev_gate.has_value()) {
    job.grad_prev = at::zeros_like(logits);
  }
  return {grads.result,     job.grad_prev,    grad_weight,
          of_parameters[2], of_parameters[0], of_parameters[1]};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("ordered_layer", ordered_layer);
  m.impl("ordered_layer_backward", ordered_layer_backward);
}

}  // namespace ordered_gnn::cuda
