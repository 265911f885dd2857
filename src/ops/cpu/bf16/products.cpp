// Work split: row blocks of a size set by the number of rows alone.
// Memory: sums are rounded as they leave their registers.
// Determinism: every block is summed in a fixed order, partial sums of the
// weight's gradient are added in order.
#include "ops/cpu/bf16/products.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/bf16_level.h"
#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/chunk_shares.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu::bf16 {
namespace {

using kernels::Bf16;

Packed packed_matrix(const at::Tensor& weight, int64_t depth, int64_t columns,
                     int64_t k_stride, int64_t n_stride) {
  Packed matrix;
  matrix.depth = depth;
  matrix.columns = columns;
  matrix.numbers = at::empty({kernels::packed_size(depth, columns)},
                             weight.options().dtype(at::kBFloat16));
  ORDERED_GNN_SIMD_CALL(pack_floats(weight.data_ptr<float>(), depth, columns,
                                    k_stride, n_stride,
                                    values_of<Bf16>(matrix.numbers)));
  return matrix;
}

void run_product(const kernels::Bf16Product& job) {
#if ORDERED_GNN_SIMD_X86
  switch (core::bf16_level()) {
    case core::Bf16Level::tiles:
      kernels::simd_amx::add_bf16_product(job);
      return;
    case core::Bf16Level::dots:
      kernels::simd_avx512_bf16::add_bf16_product(job);
      return;
    case core::Bf16Level::plain:
      break;
  }
#endif
  ORDERED_GNN_SIMD_CALL(add_bf16_product(job));
}

kernels::Bf16Product product_job(const LeftRows& a, const Packed& b, float* c,
                                 int64_t c_row) {
  kernels::Bf16Product job;
  job.rows = a.rows;
  job.columns = b.columns;
  job.depth = b.depth;
  job.a = a.values;
  job.a_row = a.stride;
  job.b = values_of<Bf16>(b.numbers);
  job.c = c;
  job.c_row = c_row;
  return job;
}

// out[N, O] = start[O] + a[N, I] b, rounded.
at::Tensor row_products(const at::Tensor& a, const Packed& b,
                        const at::Tensor& start) {
  const int64_t columns = b.columns;
  const at::Tensor out =
      core::recycled_empty({a.size(0), columns}, a.options());
  const Bf16* const from = values_of<Bf16>(a);
  Bf16* const to = values_of<Bf16>(out);
  const float* const first = start.data_ptr<float>();
  parallel_ranges(a.size(0), kRowBlock, [&](int64_t begin, int64_t end) {
    round_product({from + begin * a.size(1), end - begin, a.size(1)}, b, first,
                  /*start_row=*/0, to + begin * columns);
  });
  return out;
}

}  // namespace

Packed packed_transposed(const at::Tensor& weight) {
  return packed_matrix(weight, weight.size(1), weight.size(0), weight.stride(1),
                       weight.stride(0));
}

Packed packed(const at::Tensor& weight) {
  return packed_matrix(weight, weight.size(0), weight.size(1), weight.stride(0),
                       weight.stride(1));
}

void add_product(const LeftRows& a, const Packed& b, float* c, int64_t c_row) {
  run_product(product_job(a, b, c, c_row));
}

void round_product(const LeftRows& a, const Packed& b, const float* start,
                   int64_t start_row, Bf16* out) {
  // It is only read when there is somewhere else for the results.
  kernels::Bf16Product job =
      product_job(a, b, const_cast<float*>(start), start_row);
  job.rounded = out;
  job.rounded_row = b.columns;
  run_product(job);
}

void add_product_of_rows(const RowsProduct& job) {
  const int64_t depth = kernels::packed_row(job.rows);
  Bf16* const left = bf16_scratch(kLeftSlot, depth * job.a_columns);
  Bf16* const right =
      bf16_scratch(kRightSlot, kernels::packed_size(job.rows, job.b_columns));
  ORDERED_GNN_SIMD_CALL(
      pack_transposed(job.a, job.rows, job.a_columns, job.a_columns, left));
  ORDERED_GNN_SIMD_CALL(
      pack_rows(job.b, job.rows, job.b_columns, job.b_columns, right));
  kernels::Bf16Product product;
  product.rows = job.a_columns;
  product.columns = job.b_columns;
  product.depth = depth;
  product.a = left;
  product.a_row = depth;
  product.b = right;
  product.c = job.c;
  product.c_row = job.c_row;
  run_product(product);
}

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  return row_products(x.contiguous(), packed_transposed(weight),
                      bias.contiguous());
}

at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight) {
  return row_products(grad.contiguous(), packed(weight),
                      at::zeros({weight.size(1)}, weight.options()));
}

at::Tensor weight_gradient(const at::Tensor& grad, const at::Tensor& x) {
  const at::Tensor grads = grad.contiguous(), values = x.contiguous();
  const int64_t rows = grads.size(0), out = grads.size(1), in = values.size(1);
  const int64_t chunk = chunk_rows(rows);
  const int64_t chunks = (rows + chunk - 1) / chunk;
  const at::Tensor partial =
      zero_shares({chunks, out, in}, grad.options().dtype(at::kFloat));
  float* const sums = partial.data_ptr<float>();
  parallel_ranges(rows, chunk, [&](int64_t begin, int64_t end) {
    float* const c = sums + begin / chunk * out * in;
    for (int64_t row = begin; row < end; row += kRowBlock) {
      add_product_of_rows({row_of<Bf16>(grads, row), row_of<Bf16>(values, row),
                           std::min(kRowBlock, end - row), out, in, c, in});
    }
  });
  return sum_of_shares(partial);
}

at::Tensor column_sums(const at::Tensor& x) {
  const at::Tensor values = x.contiguous();
  const int64_t rows = x.size(0), dim = x.size(1);
  const int64_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  const at::Tensor partial =
      at::zeros({blocks, dim}, x.options().dtype(at::kFloat));
  float* const sums = partial.data_ptr<float>();
  parallel_ranges(rows, kRowBlock, [&](int64_t begin, int64_t end) {
    const float* const block =
        widened_rows(kSumSlot, values, begin, end - begin);
    ORDERED_GNN_SIMD_CALL(add_column_sums(block, dim, 0, end - begin,
                                          sums + begin / kRowBlock * dim));
  });
  return partial.sum(0);
}

}  // namespace ordered_gnn::cpu::bf16
