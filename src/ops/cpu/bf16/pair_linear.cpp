// Work split: blocks of rows.
// Memory: a block's sums stay in cache and are rounded there.
// Determinism: every block is summed in a fixed order.
#include "ops/cpu/bf16/pair_linear.h"

#include <ATen/Functions.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/products.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu::bf16 {

at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor left = a.contiguous(), right = b.contiguous();
  const at::Tensor shift = bias.contiguous();
  const Packed of_a = packed_transposed(weight.narrow(1, 0, a.size(1)));
  const Packed of_b = packed_transposed(weight.narrow(1, a.size(1), b.size(1)));
  const int64_t columns = weight.size(0);
  const at::Tensor out =
      core::recycled_empty({a.size(0), columns}, a.options());
  parallel_ranges(a.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    float* const sums = float_scratch(kSumSlot, rows * columns);
    set_rows(shift, rows, columns, sums);
    add_product({row_of<Bf16>(left, begin), rows, left.size(1)}, of_a, sums,
                columns);
    round_product({row_of<Bf16>(right, begin), rows, right.size(1)}, of_b, sums,
                  columns, row_of<Bf16>(out, begin));
  });
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> pair_linear_backward(
    const at::Tensor& grad, const at::Tensor& a, const at::Tensor& b,
    const at::Tensor& weight) {
  return {input_gradient(grad, weight.narrow(1, 0, a.size(1))),
          input_gradient(grad, weight.narrow(1, a.size(1), b.size(1))),
          at::cat({weight_gradient(grad, a), weight_gradient(grad, b)}, 1),
          column_sums(grad)};
}

}  // namespace ordered_gnn::cpu::bf16
