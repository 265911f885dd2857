// Work split: row blocks of a size set by the number of rows alone.
// Memory: a block of rows and the weight stay in cache; nothing is copied but
// the weight, once.
// Determinism: every block is summed in a fixed order, partial sums of the
// weight's gradient are added in order.
#include "ops/cpu/gemm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include "ops/cpu/bf16/products.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ops/cpu/kernels/product_kernel.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

constexpr int64_t kProductRows = 256;

// c[N, O] += a[N, I] * b[I, O] in parallel blocks of rows.
void add_row_blocks(const at::Tensor& a, const at::Tensor& b,
                    const at::Tensor& c) {
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "product", [&] {
    kernels::Product<scalar_t> whole;
    whole.columns = b.size(1);
    whole.depth = b.size(0);
    whole.a_row = a.size(1);
    whole.a_depth = 1;
    whole.b = b.data_ptr<scalar_t>();
    whole.b_row = b.stride(0);
    whole.c_row = c.size(1);
    const scalar_t* const from = a.data_ptr<scalar_t>();
    scalar_t* const to = c.data_ptr<scalar_t>();
    parallel_ranges(a.size(0), kProductRows, [&](int64_t begin, int64_t end) {
      kernels::Product<scalar_t> block = whole;
      block.rows = end - begin;
      block.a = from + begin * whole.a_row;
      block.c = to + begin * whole.c_row;
      ORDERED_GNN_SIMD_CALL(add_product(block));
    });
  });
}

// A matrix whose rows are contiguous, copied only when they are not.
at::Tensor with_rows(const at::Tensor& matrix) {
  return matrix.stride(1) == 1 ? matrix : matrix.contiguous();
}

}  // namespace

void add_product(const at::Tensor& x, const at::Tensor& weight,
                 at::Tensor& out) {
  add_row_blocks(x, weight.t().contiguous(), out);
}

at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight) {
  const at::Tensor out =
      at::zeros({grad.size(0), weight.size(1)}, grad.options());
  add_row_blocks(grad, with_rows(weight), out);
  return out;
}

void weight_gradient(const at::Tensor& grad, const at::Tensor& x,
                     at::Tensor& out) {
  const int64_t rows = grad.size(0);
  const int64_t chunk = chunk_rows(rows);
  const int64_t num_chunks = (rows + chunk - 1) / chunk;
  const at::Tensor partial =
      at::zeros({num_chunks, grad.size(1), x.size(1)}, grad.options());
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "product", [&] {
    const scalar_t* const g = grad.data_ptr<scalar_t>();
    const scalar_t* const from = x.data_ptr<scalar_t>();
    scalar_t* const sums = partial.data_ptr<scalar_t>();
    parallel_ranges(rows, chunk, [&](int64_t begin, int64_t end) {
      kernels::Product<scalar_t> part;
      part.rows = grad.size(1);
      part.columns = x.size(1);
      part.depth = end - begin;
      part.a = g + begin * grad.size(1);
      part.a_row = 1;
      part.a_depth = grad.size(1);
      part.b = from + begin * x.size(1);
      part.b_row = x.size(1);
      part.c = sums + begin / chunk * part.rows * part.columns;
      part.c_row = part.columns;
      ORDERED_GNN_SIMD_CALL(add_product(part));
    });
  });
  at::sum_out(out, partial, {0});
}

at::Tensor column_sums(const at::Tensor& x) {
  if (x.scalar_type() == at::kBFloat16) return bf16::column_sums(x);
  const int64_t rows = x.size(0);
  const int64_t dim = x.size(1);
  const int64_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  const at::Tensor values = x.contiguous();
  const at::Tensor partial = at::zeros({blocks, dim}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "column_sums", [&] {
    const scalar_t* const in = values.data_ptr<scalar_t>();
    scalar_t* const sums = partial.data_ptr<scalar_t>();
    parallel_ranges(rows, kRowBlock, [&](int64_t begin, int64_t end) {
      ORDERED_GNN_SIMD_CALL(
          add_column_sums(in, dim, begin, end, sums + begin / kRowBlock * dim));
    });
  });
  return partial.sum(0);
}

}  // namespace ordered_gnn::cpu
