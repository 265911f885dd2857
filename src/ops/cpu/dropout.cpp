#include "ops/detail/dropout.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <algorithm>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/dropped_rows.h"
#include "ops/detail/checks.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

constexpr int64_t kElementsPerTask = 1 << 16;

// Numbers are widened block by block; a row of all of them is as good as many
// where the mask does not ask for nodes.
void drop_bf16(const kernels::DropoutMask& mask, const int64_t* nodes,
               const at::Tensor& in, const at::Tensor& out) {
  const int64_t rows = nodes != nullptr ? in.size(0) : in.numel();
  const int64_t dim = in.numel() / std::max<int64_t>(rows, 1);
  const int64_t block = nodes != nullptr ? kRowBlock : kElementsPerTask;
  const auto* const from = values_of<kernels::Bf16>(in);
  auto* const to = values_of<kernels::Bf16>(out);
  parallel_ranges(rows, block, [&](int64_t begin, int64_t end) {
    const int64_t count = (end - begin) * dim;
    float* const wide = bf16::float_scratch(bf16::kSumSlot, count);
    ORDERED_GNN_SIMD_CALL(widen(from + begin * dim, count, wide));
    drop_row_block(mask, nodes, begin, end - begin, dim, wide, wide);
    ORDERED_GNN_SIMD_CALL(narrow(wide, count, to + begin * dim));
  });
}

at::Tensor dropout(const detail::DropoutArguments& arguments) {
  const at::Tensor& x = arguments.x;
  detail::check_dropout(arguments.dropout, x.device());
  detail::check_rows_type("dropout", "x", x);
  const at::Tensor values = x.contiguous();
  const at::Tensor out = core::recycled_like(values);
  const kernels::DropoutMask mask(arguments.dropout.mask_key(),
                                  arguments.dropout.p);
  const int64_t* const nodes =
      values.dim() > 0 ? arguments.dropout.nodes(values.size(0)) : nullptr;
  if (bf16::is_stored_as(values)) {
    drop_bf16(mask, nodes, values, out);
    return out;
  }
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "dropout", [&] {
    const scalar_t* const in = values.data_ptr<scalar_t>();
    scalar_t* const result = out.data_ptr<scalar_t>();
    if (nodes != nullptr) {
      const int64_t dim = values.numel() / std::max<int64_t>(values.size(0), 1);
      parallel_ranges(values.size(0), kRowBlock,
                      [&](int64_t begin, int64_t end) {
                        drop_row_block(mask, nodes, begin, end - begin, dim,
                                       in + begin * dim, result + begin * dim);
                      });
      return;
    }
    parallel_ranges(
        values.numel(), kElementsPerTask, [&](int64_t begin, int64_t end) {
          ORDERED_GNN_SIMD_CALL(
              dropout(mask, in + begin, result + begin, begin, end - begin));
        });
  });
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("dropout", detail::registered<dropout>);
}

}  // namespace ordered_gnn::cpu
