#include "ops/cuda/column_norm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/column_norm.h"

namespace ordered_gnn::cuda {

LayerNormTensors norm_tensors(const detail::NormArguments& norm,
                              const at::Tensor& h, double eps) {
  LayerNormTensors tensors;
  tensors.mode = static_cast<NormMode>(norm.mode);
  if (tensors.mode == NormMode::none) return tensors;
  tensors.weight = packed(norm.weight);
  tensors.bias = packed(norm.bias);
  if (tensors.mode == NormMode::fixed) {
    tensors.statistics = at::stack(
        {norm.running_mean.value(), norm.running_var->add(eps).rsqrt()});
    return tensors;
  }
  const int64_t count = tensors.mode == NormMode::layer ? h.size(0) : h.size(1);
  tensors.statistics = at::empty({2, count}, tensors.weight.options());
  return tensors;
}

LayerNormTensors norm_tensors(const detail::KeptNorm& kept) {
  LayerNormTensors tensors;
  tensors.mode = static_cast<NormMode>(kept.mode);
  if (tensors.mode == NormMode::none) return tensors;
  tensors.weight = packed(kept.weight);
  tensors.bias = packed(kept.bias);
  tensors.statistics = kept.statistics.value();
  return tensors;
}

void set_column_statistics(const at::Tensor& x, const LayerNormTensors& norm,
                           double eps, const RunningStatistics& running) {
  for (const at::Tensor& moved : {running.mean, running.var}) {
    TORCH_CHECK(!moved.defined() || moved.is_contiguous(),
                "candidate_layer: running statistics must be contiguous");
  }
  const OnDevice device(x);
  const at::Tensor partial = at::empty(
      {column_moment_blocks(x.size(0)), 2, x.size(1)}, norm.weight.options());
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "candidate_layer", [&] {
        using T = Compute<Kernel<scalar_t>>;
        ColumnMoments<Kernel<scalar_t>> job;
        job.x = rows_of<scalar_t>(x);
        job.partial = partial.data_ptr<T>();
        job.mean = norm.statistics.data_ptr<T>();
        job.rstd = job.mean + x.size(1);
        job.running_mean = pointer_of<T>(running.mean);
        job.running_var = pointer_of<T>(running.var);
        job.rows = x.size(0);
        job.dim = width_of(x);
        job.eps = eps;
        job.momentum = running.momentum;
        C10_CUDA_CHECK(launch_column_moments(job, device.stream()));
      });
}

void normalize_columns(const LayerNormTensors& norm,
                       const detail::Dropout& dropout, const at::Tensor& x) {
  const OnDevice device(x);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "candidate_layer", [&] {
        using T = Compute<Kernel<scalar_t>>;
        const NormJob<T> of_norm = norm_job<T>(norm);
        ColumnNorm<Kernel<scalar_t>> job;
        job.x = rows_of<scalar_t>(x);
        job.mean = of_norm.mean;
        job.rstd = of_norm.rstd;
        job.weight = of_norm.weight;
        job.bias = of_norm.bias;
        job.rows = x.size(0);
        job.dim = width_of(x);
        job.mask = mask_of(dropout);
        C10_CUDA_CHECK(launch_column_norm(job, device.stream()));
      });
}

void undo_column_norm(const LayerNormTensors& norm, const at::Tensor& x,
                      const at::Tensor& sum_grad, const at::Tensor& sum_product,
                      const at::Tensor& grad) {
  const OnDevice device(x);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "candidate_layer", [&] {
        using T = Compute<Kernel<scalar_t>>;
        const NormJob<T> of_norm = norm_job<T>(norm);
        ColumnNormUndo<Kernel<scalar_t>> job;
        job.grad = rows_of<scalar_t>(grad);
        job.x = rows_of<scalar_t>(x);
        job.mean = of_norm.mean;
        job.rstd = of_norm.rstd;
        job.weight = of_norm.weight;
        job.sum_grad = sum_grad.data_ptr<T>();
        job.sum_product = sum_product.data_ptr<T>();
        job.rows = x.size(0);
        job.dim = width_of(x);
        C10_CUDA_CHECK(launch_column_norm_undo(job, device.stream()));
      });
}

}  // namespace ordered_gnn::cuda
