// A layer for some receivers: their own rows are copied out of the state, all
// else is that of a whole layer on fewer rows.
#include "ops/detail/ordered_rows.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/gate.h"
#include "ops/cuda/products.h"
#include "ops/cuda/row_gradients.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

using detail::optional;
using detail::OrderedRowsOutputs;

// Copied in words of eight bytes where rows allow it: index_select goes number
// by number.
at::Tensor selected(const at::Tensor& rows, const at::Tensor& nodes) {
  const bool wide = rows.dim() == 2 && rows.is_contiguous() &&
                    rows.size(1) * rows.element_size() % 8 == 0;
  if (!wide || rows.numel() == 0) return rows.index_select(0, nodes);
  return rows.view(at::kLong).index_select(0, nodes).view(rows.scalar_type());
}

at::Tensor selected(const optional<at::Tensor>& rows, const at::Tensor& nodes) {
  return rows.has_value() ? selected(*rows, nodes) : at::Tensor();
}

OrderedRowsOutputs ordered_rows(
    const at::Tensor& nodes, const at::Tensor& rowptr, const at::Tensor& col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate, const at::Tensor& gate_weight,
    const at::Tensor& gate_bias, const at::Tensor& norm_weight,
    const at::Tensor& norm_bias, int64_t mode, double eps, double p,
    int64_t seed, int64_t step, int64_t site) {
  const OnDevice device(h);
  GateForwardTensors job;
  job.mode = mode;
  job.nodes = nodes;
  job.h = selected(h.contiguous(), nodes);
  job.m = at::empty_like(job.h);
  list_sum({rowptr, col, selected(row_scale, nodes), packed(col_scale), {}, {}},
           h.contiguous(), job.m);
  job.logits = pair_affine(job.h, job.m, gate_weight, gate_bias);
  job.prev_gate = selected(prev_gate, nodes);
  finish_layer(job, norm_weight, norm_bias, eps, p, {seed, step, site});
  return {job.out, job.gate,   job.h,    job.prev_gate,
          job.m,   job.logits, job.mean, job.rstd};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
           at::Tensor, at::Tensor>
ordered_rows_backward(const at::Tensor& nodes, const at::Tensor& h,
                      const optional<at::Tensor>& prev_gate,
                      const at::Tensor& gate_weight,
                      const at::Tensor& norm_weight, const at::Tensor& gate,
                      const at::Tensor& m, const at::Tensor& logits,
                      const at::Tensor& mean, const at::Tensor& rstd,
                      const at::Tensor& grad_out, int64_t mode, double p,
                      int64_t seed, int64_t step, int64_t site) {
  const OnDevice device(h);
  GateBackwardTensors job;
  job.mode = mode;
  job.nodes = nodes;
  job.h = h;
  job.m = m;
  job.logits = logits;
  job.prev_gate = packed(prev_gate);
  job.gate = gate;
  job.norm_weight = norm_weight.contiguous();
  job.mean = mean;
  job.rstd = rstd;
  job.grad_out = grad_out.contiguous();
  job.p = p;
  job.key = {seed, step, site};
  const RowGradients grads = place_gradients(job, /*reuse_memory=*/true);
  const std::vector<at::Tensor> of_parameters = gate_backward(job);
  add_gradients(grads, gate_weight);
  return {grads.h,          grads.m,
          grads.prev_gate,  pair_weight_gradient(grads.logits, job.h, job.m),
          of_parameters[2], of_parameters[0],
          of_parameters[1]};
}

at::Tensor spread_rows(const at::Tensor& nodes, const at::Tensor& place,
                       const at::Tensor& t_rowptr, const at::Tensor& t_col,
                       const optional<at::Tensor>& row_scale,
                       const optional<at::Tensor>& col_scale,
                       const at::Tensor& grad_h, const at::Tensor& grad_m) {
  const OnDevice device(grad_m);
  const at::Tensor out =
      at::empty({place.numel(), grad_m.size(1)}, grad_m.options());
  // The transposed lists with the two scales exchanged.
  list_sum(
      {t_rowptr, t_col, packed(col_scale), selected(row_scale, nodes), {}, {}},
      grad_m, out, /*before=*/grad_h, /*before_of=*/place);
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("ordered_rows", ordered_rows);
  m.impl("ordered_rows_backward", ordered_rows_backward);
  m.impl("spread_rows", spread_rows);
}

}  // namespace ordered_gnn::cuda
