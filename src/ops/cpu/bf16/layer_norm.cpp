// Work split: blocks of rows.
// Memory: rows are read and written once, in two bytes.
// Determinism: one partial sum per block, added up in block order.
#include "ops/cpu/bf16/layer_norm.h"

#include <ATen/Functions.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/masked_rows.h"
#include "ops/cpu/blocks.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

// What the kernels need to know of rows [begin, end) in both directions.
template <typename Rows>
Rows plain_rows(const at::Tensor& x, const at::Tensor& weight, bool relu,
                int64_t begin, int64_t end) {
  Rows rows;
  rows.rows = end - begin;
  rows.dim = x.size(1);
  rows.in = row_of<Bf16>(x, begin);
  rows.weight = weight.data_ptr<float>();
  rows.relu = relu;
  return rows;
}

}  // namespace

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const detail::LayerNormArguments& arguments) {
  const at::Tensor x = arguments.x.contiguous();
  const at::Tensor scale = arguments.weight.contiguous();
  const at::Tensor shift = arguments.bias.contiguous();
  const at::Tensor out = core::recycled_like(x);
  const at::Tensor mean = at::empty({x.size(0)}, scale.options());
  const at::Tensor rstd = at::empty_like(mean);
  parallel_ranges(x.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    auto rows = plain_rows<kernels::PlainRowsForward>(x, scale, arguments.relu,
                                                      begin, end);
    rows.bias = shift.data_ptr<float>();
    rows.eps = arguments.eps;
    rows.mean = mean.data_ptr<float>() + begin;
    rows.rstd = rstd.data_ptr<float>() + begin;
    rows.out = row_of<Bf16>(out, begin);
    float* const space = normed_rows_scratch(kSumSlot, rows.dim);
    with_mask(arguments.dropout, x.size(0), begin, rows, [&](const auto& job) {
      ORDERED_GNN_SIMD_CALL(normed_rows_forward(job, space));
    });
  });
  return {out, mean, rstd};
}

detail::LayerNormUndone layer_norm_undo(
    const detail::LayerNormUndoArguments& arguments) {
  const detail::LayerNormArguments& norm = arguments.kept.norm;
  const at::Tensor grads = arguments.grad.contiguous();
  const at::Tensor x = norm.x.contiguous();
  const at::Tensor scale = norm.weight.contiguous();
  const at::Tensor shift =
      norm.bias.defined() ? norm.bias.contiguous() : at::Tensor();
  const at::Tensor grad_x = core::recycled_like(x);
  const at::Tensor out =
      arguments.need_out ? core::recycled_like(x) : at::Tensor();
  const int64_t dim = x.size(1);
  const int64_t blocks = (x.size(0) + kRowBlock - 1) / kRowBlock;
  // Of the weight, the bias and x.
  const at::Tensor partial = at::zeros({3, blocks, dim}, scale.options());
  parallel_ranges(x.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    auto rows =
        plain_rows<kernels::PlainRowsBackward>(x, scale, norm.relu, begin, end);
    rows.bias = shift.defined() ? shift.data_ptr<float>() : nullptr;
    rows.mean = arguments.kept.mean.data_ptr<float>() + begin;
    rows.rstd = arguments.kept.rstd.data_ptr<float>() + begin;
    rows.grad_out = row_of<Bf16>(grads, begin);
    rows.grad_in = row_of<Bf16>(grad_x, begin);
    rows.out = row_of<Bf16>(out, begin);
    rows.grad_weight = partial.data_ptr<float>() + begin / kRowBlock * dim;
    rows.grad_bias = rows.grad_weight + blocks * dim;
    rows.sums = rows.grad_bias + blocks * dim;
    float* const space = normed_rows_scratch(kSumSlot, dim);
    with_mask(norm.dropout, x.size(0), begin, rows, [&](const auto& job) {
      ORDERED_GNN_SIMD_CALL(normed_rows_backward(job, space));
    });
  });
  const at::Tensor totals = partial.sum(1);
  const bool need = arguments.need_parameters;
  // Results of an op share no memory.
  return {grad_x, need ? totals[0].clone() : at::Tensor(),
          need ? totals[1].clone() : at::Tensor(), totals[2].clone(), out};
}

}  // namespace ordered_gnn::cpu::bf16
