#include "ops/detail/layer_norm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/layer_norm.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/dropped_rows.h"
#include "ops/cpu/gemm.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const detail::LayerNormArguments& arguments) {
  const at::Tensor& x = arguments.x;
  const detail::Dropout& dropout = arguments.dropout;
  detail::check_layer_norm(x, arguments.weight, arguments.bias, dropout);
  if (bf16::is_stored_as(x)) return bf16::layer_norm(arguments);
  const at::Tensor rows = x.contiguous();
  const at::Tensor scale = arguments.weight.contiguous();
  const at::Tensor shift = arguments.bias.contiguous();
  const at::Tensor out = core::recycled_like(rows);
  const at::Tensor mean = at::empty({x.size(0)}, x.options());
  const at::Tensor rstd = at::empty({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "layer_norm", [&] {
    kernels::NormForward<scalar_t> job;
    job.x = rows.data_ptr<scalar_t>();
    job.weight = scale.data_ptr<scalar_t>();
    job.bias = shift.data_ptr<scalar_t>();
    job.out = out.data_ptr<scalar_t>();
    job.mean = mean.data_ptr<scalar_t>();
    job.rstd = rstd.data_ptr<scalar_t>();
    job.dim = x.size(1);
    job.eps = arguments.eps;
    job.relu = arguments.relu;
    const kernels::DropoutMask mask(dropout.mask_key(), dropout.p);
    const int64_t* const nodes = dropout.nodes(x.size(0));
    parallel_ranges(x.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
      ORDERED_GNN_SIMD_CALL(norm_forward(job, begin, end));
      if (dropout.p == 0) return;
      scalar_t* const block = job.out + begin * job.dim;
      drop_row_block<scalar_t>(mask, nodes, begin, end - begin, job.dim, block,
                               block);
    });
  });
  return {out, mean, rstd};
}

// Rows are in cache when their mean is computed: knowing it saves little.
at::Tensor layer_norm_again(const detail::LayerNormAgainArguments& arguments) {
  return std::get<0>(cpu::layer_norm(arguments.norm));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const detail::LayerNormBackwardArguments& arguments) {
  const at::Tensor& x = arguments.x;
  const detail::Dropout& dropout = arguments.dropout;
  if (bf16::is_stored_as(x)) {
    detail::LayerNormUndoArguments undo;
    undo.grad = arguments.grad;
    undo.kept = {
        {x, arguments.weight, /*bias=*/{}, /*eps=*/0, arguments.relu, dropout},
        arguments.mean,
        arguments.rstd};
    const auto results = bf16::layer_norm_undo(undo);
    return {std::get<0>(results), std::get<1>(results), std::get<2>(results)};
  }
  const at::Tensor grads = arguments.grad.contiguous();
  const at::Tensor rows = x.contiguous();
  const at::Tensor scale = arguments.weight.contiguous();
  const at::Tensor grad_x = core::recycled_like(rows);
  const int64_t dim = x.size(1);
  // One partial sum per block, added up in block order afterwards.
  const int64_t blocks = (x.size(0) + kRowBlock - 1) / kRowBlock;
  const at::Tensor partial = at::zeros({2, blocks, dim}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "layer_norm", [&] {
    kernels::NormBackward<scalar_t> job;
    job.grad = grads.data_ptr<scalar_t>();
    job.x = rows.data_ptr<scalar_t>();
    job.mean = arguments.mean.data_ptr<scalar_t>();
    job.rstd = arguments.rstd.data_ptr<scalar_t>();
    job.weight = scale.data_ptr<scalar_t>();
    job.grad_x = grad_x.data_ptr<scalar_t>();
    job.dim = dim;
    job.relu = arguments.relu;
    const kernels::DropoutMask mask(dropout.mask_key(), dropout.p);
    const int64_t* const nodes = dropout.nodes(x.size(0));
    scalar_t* const sums = partial.data_ptr<scalar_t>();
    parallel_ranges(x.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
      scalar_t* const grad_weight = sums + begin / kRowBlock * dim;
      scalar_t* const grad_bias = grad_weight + blocks * dim;
      kernels::NormBackward<scalar_t> block = job;
      if (dropout.p > 0) {
        // The kernel may write over what it reads.
        scalar_t* const dropped = job.grad_x + begin * dim;
        drop_row_block(mask, nodes, begin, end - begin, dim,
                       job.grad + begin * dim, dropped);
        block.grad = job.grad_x;
      }
      ORDERED_GNN_SIMD_CALL(
          norm_backward(block, begin, end, grad_weight, grad_bias));
    });
  });
  const at::Tensor totals = partial.sum(1);
  // Results of an op share no memory.
  return {grad_x, totals[0].clone(), totals[1].clone()};
}

detail::LayerNormUndone layer_norm_undo(
    const detail::LayerNormUndoArguments& arguments) {
  const detail::LayerNormAgainArguments& kept = arguments.kept;
  if (bf16::is_stored_as(kept.norm.x)) return bf16::layer_norm_undo(arguments);
  auto [grad_x, grad_weight, grad_bias] = layer_norm_backward(
      {arguments.grad, kept.norm.x, kept.mean, kept.rstd, kept.norm.weight,
       kept.norm.relu, kept.norm.dropout});
  if (!arguments.need_parameters) grad_weight = grad_bias = at::Tensor();
  at::Tensor out;
  if (arguments.need_out) out = cpu::layer_norm_again(kept);
  return {grad_x, grad_weight, grad_bias, column_sums(grad_x), out};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("layer_norm", detail::registered<layer_norm>);
  m.impl("layer_norm_backward", detail::registered<layer_norm_backward>);
  m.impl("layer_norm_undo", detail::registered<layer_norm_undo>);
  m.impl("layer_norm_again", detail::registered<layer_norm_again>);
}

}  // namespace ordered_gnn::cpu
