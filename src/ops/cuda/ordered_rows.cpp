#include "ops/detail/ordered_rows.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/gate.h"
#include "ops/cuda/products.h"
#include "ops/cuda/row_gradients.h"

namespace ordered_gnn::cuda {
namespace {

using detail::optional;

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_rows(const at::Tensor& nodes, const at::Tensor& h, const at::Tensor& m,
             const optional<at::Tensor>& prev_gate,
             const at::Tensor& gate_weight, const at::Tensor& gate_bias,
             const at::Tensor& norm_weight, const at::Tensor& norm_bias,
             int64_t mode, double eps, double p, int64_t seed, int64_t step,
             int64_t site) {
  const OnDevice device(h);
  GateForwardTensors job;
  job.mode = mode;
  job.nodes = nodes;
  job.h = h.contiguous();
  job.m = m.contiguous();
  job.logits = pair_affine(job.h, job.m, gate_weight, gate_bias);
  job.prev_gate = packed(prev_gate);
  finish_layer(job, norm_weight, norm_bias, eps, p, {seed, step, site});
  return {job.out, job.gate, job.logits, job.mean, job.rstd};
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
  job.h = h.contiguous();
  job.m = m.contiguous();
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

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("ordered_rows", ordered_rows);
  m.impl("ordered_rows_backward", ordered_rows_backward);
}

}  // namespace ordered_gnn::cuda
