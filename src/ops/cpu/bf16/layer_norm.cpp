// Work split: blocks of rows.
// Memory: rows are read and written in two bytes, a block is widened into
// scratch.
// Determinism: one partial sum per block, added up in block order.
#include "ops/cpu/bf16/layer_norm.h"

#include <ATen/Functions.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/dropped_rows.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

// The dropout behind a norm, in place on a block of `rows` from `begin` on.
class Drop {
 public:
  Drop(const detail::Dropout& dropout, int64_t all_rows, int64_t dim)
      : acts_(dropout.p > 0),
        mask_(dropout.mask_key(), dropout.p),
        nodes_(dropout.nodes(all_rows)),
        dim_(dim) {}

  void run(int64_t begin, int64_t rows, float* block) const {
    if (!acts_) return;
    drop_row_block(mask_, nodes_, begin, rows, dim_, block, block);
  }

 private:
  const bool acts_;
  const kernels::DropoutMask mask_;
  const int64_t* const nodes_;
  const int64_t dim_;
};

}  // namespace

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const detail::LayerNormArguments& arguments) {
  const at::Tensor rows = arguments.x.contiguous();
  const at::Tensor scale = arguments.weight.contiguous();
  const at::Tensor shift = arguments.bias.contiguous();
  const at::Tensor out = core::recycled_like(rows);
  const at::Tensor mean = at::empty({rows.size(0)}, scale.options());
  const at::Tensor rstd = at::empty_like(mean);
  const int64_t dim = rows.size(1);
  const Drop drop(arguments.dropout, rows.size(0), dim);
  kernels::NormForward<float> job;
  job.weight = scale.data_ptr<float>();
  job.bias = shift.data_ptr<float>();
  job.dim = dim;
  job.eps = arguments.eps;
  job.relu = arguments.relu;
  parallel_ranges(rows.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    kernels::NormForward<float> block = job;
    block.x = block.out = widened_rows(kSumSlot, rows, begin, end - begin);
    block.mean = mean.data_ptr<float>() + begin;
    block.rstd = rstd.data_ptr<float>() + begin;
    ORDERED_GNN_SIMD_CALL(norm_forward(block, 0, end - begin));
    drop.run(begin, end - begin, block.out);
    narrow_rows(block.out, end - begin, out, begin);
  });
  return {out, mean, rstd};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const detail::LayerNormBackwardArguments& arguments) {
  const at::Tensor grads = arguments.grad.contiguous();
  const at::Tensor rows = arguments.x.contiguous();
  const at::Tensor scale = arguments.weight.contiguous();
  const at::Tensor grad_x = core::recycled_like(rows);
  const int64_t dim = rows.size(1);
  const int64_t blocks = (rows.size(0) + kRowBlock - 1) / kRowBlock;
  const at::Tensor partial = at::zeros({2, blocks, dim}, scale.options());
  const Drop drop(arguments.dropout, rows.size(0), dim);
  kernels::NormBackward<float> job;
  job.weight = scale.data_ptr<float>();
  job.dim = dim;
  job.relu = arguments.relu;
  float* const sums = partial.data_ptr<float>();
  parallel_ranges(rows.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    float* const grad_weight = sums + begin / kRowBlock * dim;
    float* const grad_bias = grad_weight + blocks * dim;
    float* const grad = widened_rows(kSumSlot, grads, begin, end - begin);
    drop.run(begin, end - begin, grad);
    kernels::NormBackward<float> block = job;
    block.grad = block.grad_x = grad;
    block.x = widened_rows(kFreeSlot, rows, begin, end - begin);
    block.mean = arguments.mean.data_ptr<float>() + begin;
    block.rstd = arguments.rstd.data_ptr<float>() + begin;
    ORDERED_GNN_SIMD_CALL(
        norm_backward(block, 0, end - begin, grad_weight, grad_bias));
    narrow_rows(grad, end - begin, grad_x, begin);
  });
  const at::Tensor totals = partial.sum(1);
  return {grad_x, totals[0], totals[1]};
}

}  // namespace ordered_gnn::cpu::bf16
