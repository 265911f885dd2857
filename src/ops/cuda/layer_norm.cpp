#include "ops/cuda/kernels/rows/layer_norm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/sums.h"
#include "ops/detail/layer_norm.h"

namespace ordered_gnn::cuda {
namespace {

// `known`: mean and rstd are given.
at::Tensor normalize(const at::Tensor& x, const at::Tensor& mean,
                     const at::Tensor& rstd, bool known,
                     const at::Tensor& weight, const at::Tensor& bias,
                     double eps, bool relu, double p, const DropoutKey& key) {
  const OnDevice device(x);
  const at::Tensor rows = x.contiguous();
  const at::Tensor scale = weight.contiguous();
  const at::Tensor shift = bias.contiguous();
  const at::Tensor out = at::empty_like(rows);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "layer_norm", [&] {
        using T = Compute<Kernel<scalar_t>>;
        NormForward<Kernel<scalar_t>> job;
        job.x = rows_of<scalar_t>(rows);
        job.weight = scale.data_ptr<T>();
        job.bias = shift.data_ptr<T>();
        job.out = rows_of<scalar_t>(out);
        job.mean = mean.data_ptr<T>();
        job.rstd = rstd.data_ptr<T>();
        job.known = known;
        job.rows = x.size(0);
        job.dim = width_of(x);
        job.eps = eps;
        job.relu = relu;
        job.mask = DropoutMask(key, p);
        C10_CUDA_CHECK(launch_norm_forward(job, device.stream()));
      });
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    double eps, bool relu, double p, int64_t seed, int64_t step, int64_t site) {
  detail::check_layer_norm(x, weight, bias, p);
  const at::Tensor mean = at::empty({x.size(0)}, weight.options());
  const at::Tensor rstd = at::empty_like(mean);
  const at::Tensor out = normalize(x, mean, rstd, /*known=*/false, weight, bias,
                                   eps, relu, p, {seed, step, site});
  return {out, mean, rstd};
}

at::Tensor layer_norm_again(const at::Tensor& x, const at::Tensor& mean,
                            const at::Tensor& rstd, const at::Tensor& weight,
                            const at::Tensor& bias, double eps, bool relu,
                            double p, int64_t seed, int64_t step,
                            int64_t site) {
  return normalize(x, mean, rstd, /*known=*/true, weight, bias, eps, relu, p,
                   {seed, step, site});
}

// `bias` is read, and the output written, when need_out.
detail::LayerNormUndone layer_norm_undo(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& mean,
    const at::Tensor& rstd, const at::Tensor& weight, const at::Tensor& bias,
    double /*eps*/, bool relu, double p, int64_t seed, int64_t step,
    int64_t site, bool need_parameters, bool need_out, bool reuse_memory) {
  const OnDevice device(x);
  const at::Tensor grads = grad.contiguous();
  const at::Tensor rows = x.contiguous();
  const at::Tensor scale = weight.contiguous();
  const at::Tensor shift = need_out ? bias.contiguous() : at::Tensor();
  const bool in_place = reuse_memory && x.size(1) <= kNormInPlaceDim;
  const at::Tensor grad_x = in_place ? grads : at::empty_like(rows);
  const at::Tensor out = need_out ? at::empty_like(rows) : at::Tensor();
  const int64_t dim = x.size(1);
  const at::Tensor partial =
      at::empty({norm_backward_blocks(x.size(0)), 3 * dim}, scale.options());
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "layer_norm", [&] {
        using T = Compute<Kernel<scalar_t>>;
        NormBackward<Kernel<scalar_t>> job;
        job.grad = rows_of<scalar_t>(grads);
        job.x = rows_of<scalar_t>(rows);
        job.mean = mean.data_ptr<T>();
        job.rstd = rstd.data_ptr<T>();
        job.weight = scale.data_ptr<T>();
        job.bias = pointer_of<T>(shift);
        job.grad_x = rows_of<scalar_t>(grad_x);
        job.out = rows_of<scalar_t>(out);
        job.partial = partial.data_ptr<T>();
        job.rows = x.size(0);
        job.dim = width_of(x);
        job.relu = relu;
        job.of_parameters = need_parameters;
        job.mask = DropoutMask({seed, step, site}, p);
        C10_CUDA_CHECK(launch_norm_backward(job, device.stream()));
      });
  const std::vector<at::Tensor> totals = sum_partials(partial, {dim, dim, dim});
  if (!need_parameters) return {grad_x, {}, {}, totals[2], out};
  return {grad_x, totals[0], totals[1], totals[2], out};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& mean,
    const at::Tensor& rstd, const at::Tensor& weight, bool relu, double p,
    int64_t seed, int64_t step, int64_t site) {
  auto [grad_x, grad_weight, grad_bias, sums, out] =
      layer_norm_undo(grad, x, mean, rstd, weight, /*bias=*/{}, /*eps=*/0, relu,
                      p, seed, step, site, /*need_parameters=*/true,
                      /*need_out=*/false, /*reuse_memory=*/false);
  return {grad_x, grad_weight, grad_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("layer_norm", layer_norm);
  m.impl("layer_norm_backward", layer_norm_backward);
  m.impl("layer_norm_undo", layer_norm_undo);
  m.impl("layer_norm_again", layer_norm_again);
}

}  // namespace ordered_gnn::cuda
