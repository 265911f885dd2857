// Work split: blocks of rows.
// Memory: rows are read and written in two bytes; a few of them at a time are
// widened into scratch that stays in the first-level cache.
// Determinism: one partial sum per block, added up in block order.
#include "ops/cpu/bf16/layer_norm.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/dropped_rows.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

// Rows that are computed at a time.
constexpr int64_t kNormRows = 16;

// Calls run(begin, rows) for the rows [begin, end), a few at a time.
template <typename Run>
void for_few_rows(int64_t begin, int64_t end, const Run& run) {
  for (; begin < end; begin += kNormRows) {
    run(begin, std::min(end - begin, kNormRows));
  }
}

// The dropout behind a norm of `rows` rows from `begin` on, which are read or
// written in two bytes.
class Drop {
 public:
  Drop(const detail::Dropout& dropout, int64_t all_rows, int64_t dim)
      : acts_(dropout.p > 0),
        mask_(dropout.mask_key(), dropout.p),
        nodes_(dropout.nodes(all_rows)),
        dim_(dim) {}

  template <typename In, typename Out>
  void run(int64_t begin, int64_t rows, const In* in, Out* out) const {
    if (acts_) {
      drop_row_block(mask_, nodes_, begin, rows, dim_, in, out);
    } else {
      convert(in, rows * dim_, out);
    }
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
  const auto normalize = [&](int64_t begin, int64_t count) {
    kernels::NormForward<float> few = job;
    few.x = few.out = widened_rows(kSumSlot, rows, begin, count);
    few.mean = mean.data_ptr<float>() + begin;
    few.rstd = rstd.data_ptr<float>() + begin;
    ORDERED_GNN_SIMD_CALL(norm_forward(few, 0, count));
    drop.run(begin, count, few.out, row_of<Bf16>(out, begin));
  };
  parallel_ranges(rows.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    for_few_rows(begin, end, normalize);
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
    for_few_rows(begin, end, [&](int64_t first, int64_t count) {
      float* const grad = float_scratch(kSumSlot, count * dim);
      drop.run(first, count, row_of<Bf16>(grads, first), grad);
      kernels::NormBackward<float> few = job;
      few.grad = few.grad_x = grad;
      few.x = widened_rows(kFreeSlot, rows, first, count);
      few.mean = arguments.mean.data_ptr<float>() + first;
      few.rstd = arguments.rstd.data_ptr<float>() + first;
      ORDERED_GNN_SIMD_CALL(
          norm_backward(few, 0, count, grad_weight, grad_bias));
      narrow_rows(grad, count, grad_x, first);
    });
  });
  const at::Tensor totals = partial.sum(1);
  return {grad_x, totals[0], totals[1]};
}

}  // namespace ordered_gnn::cpu::bf16
