#include "ops/cuda/kernels/rows/layer_norm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/drop_rows.h"
#include "ops/cuda/sums.h"
#include "ops/detail/layer_norm.h"

namespace ordered_gnn::cuda {
namespace {

// The mask that the kernels apply themselves: they count rows. Where the step
// tells nodes, drop_rows() does it.
DropoutMask counted_mask(const detail::Dropout& dropout) {
  return tells_nodes(dropout) ? DropoutMask() : mask_of(dropout);
}

// `known`: mean and rstd are given.
at::Tensor normalize(const detail::LayerNormAgainArguments& arguments,
                     bool known) {
  const detail::LayerNormArguments& norm = arguments.norm;
  const at::Tensor& x = norm.x;
  const OnDevice device(x);
  const at::Tensor rows = x.contiguous();
  const at::Tensor scale = norm.weight.contiguous();
  const at::Tensor shift = norm.bias.contiguous();
  const at::Tensor out = at::empty_like(rows);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "layer_norm", [&] {
        using T = Compute<Kernel<scalar_t>>;
        NormForward<Kernel<scalar_t>> job;
        job.x = rows_of<scalar_t>(rows);
        job.weight = scale.data_ptr<T>();
        job.bias = shift.data_ptr<T>();
        job.out = rows_of<scalar_t>(out);
        job.mean = arguments.mean.data_ptr<T>();
        job.rstd = arguments.rstd.data_ptr<T>();
        job.known = known;
        job.rows = x.size(0);
        job.dim = width_of(x);
        job.eps = norm.eps;
        job.relu = norm.relu;
        job.mask = counted_mask(norm.dropout);
        C10_CUDA_CHECK(launch_norm_forward(job, device.stream()));
      });
  if (tells_nodes(norm.dropout)) drop_rows(norm.dropout, out, out);
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const detail::LayerNormArguments& arguments) {
  detail::check_layer_norm(arguments.x, arguments.weight, arguments.bias,
                           arguments.dropout);
  const at::Tensor mean =
      at::empty({arguments.x.size(0)}, arguments.weight.options());
  const at::Tensor rstd = at::empty_like(mean);
  const at::Tensor out = normalize({arguments, mean, rstd}, /*known=*/false);
  return {out, mean, rstd};
}

at::Tensor layer_norm_again(const detail::LayerNormAgainArguments& arguments) {
  return normalize(arguments, /*known=*/true);
}

// The bias is read, and the output written, when need_out.
detail::LayerNormUndone layer_norm_undo(
    const detail::LayerNormUndoArguments& arguments) {
  const detail::LayerNormAgainArguments& kept = arguments.kept;
  const detail::LayerNormArguments& norm = kept.norm;
  const bool need_out = arguments.need_out;
  const at::Tensor& x = norm.x;
  const OnDevice device(x);
  const bool in_place = arguments.reuse_memory && x.size(1) <= kNormInPlaceDim;
  const at::Tensor given = arguments.grad.contiguous();
  at::Tensor grads = given;
  if (tells_nodes(norm.dropout)) {
    if (!in_place) grads = at::empty_like(given);
    drop_rows(norm.dropout, given, grads);
  }
  const at::Tensor rows = x.contiguous();
  const at::Tensor scale = norm.weight.contiguous();
  const at::Tensor shift = need_out ? norm.bias.contiguous() : at::Tensor();
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
        job.mean = kept.mean.data_ptr<T>();
        job.rstd = kept.rstd.data_ptr<T>();
        job.weight = scale.data_ptr<T>();
        job.bias = pointer_of<T>(shift);
        job.grad_x = rows_of<scalar_t>(grad_x);
        job.out = rows_of<scalar_t>(out);
        job.partial = partial.data_ptr<T>();
        job.rows = x.size(0);
        job.dim = width_of(x);
        job.relu = norm.relu;
        job.of_parameters = arguments.need_parameters;
        job.mask = counted_mask(norm.dropout);
        C10_CUDA_CHECK(launch_norm_backward(job, device.stream()));
      });
  if (need_out && tells_nodes(norm.dropout)) drop_rows(norm.dropout, out, out);
  const std::vector<at::Tensor> totals = sum_partials(partial, {dim, dim, dim});
  if (!arguments.need_parameters) return {grad_x, {}, {}, totals[2], out};
  return {grad_x, totals[0], totals[1], totals[2], out};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const detail::LayerNormBackwardArguments& arguments) {
  detail::LayerNormUndoArguments undo;
  undo.grad = arguments.grad;
  undo.kept.norm.x = arguments.x;
  undo.kept.norm.weight = arguments.weight;
  undo.kept.norm.relu = arguments.relu;
  undo.kept.norm.dropout = arguments.dropout;
  undo.kept.mean = arguments.mean;
  undo.kept.rstd = arguments.rstd;
  auto [grad_x, grad_weight, grad_bias, sums, out] =
      cuda::layer_norm_undo(undo);
  return {grad_x, grad_weight, grad_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("layer_norm", detail::registered<layer_norm>);
  m.impl("layer_norm_backward", detail::registered<layer_norm_backward>);
  m.impl("layer_norm_undo", detail::registered<layer_norm_undo>);
  m.impl("layer_norm_again", detail::registered<layer_norm_again>);
}

}  // namespace ordered_gnn::cuda
