#pragma once
#include <ATen/core/Tensor.h>

#include "ops/cpu/kernels/bf16/product.h"

// Products of rows in bfloat16 with parameters in float, which are rounded for
// them; sums are float. Every bit of a result is fixed by the shapes and the
// instruction set, whatever the number of threads.
namespace ordered_gnn::cpu::bf16 {

/// A parameter as the right-hand side of products.
struct Packed {
  at::Tensor numbers;  ///< see kernels/bf16/pack.h
  int64_t depth = 0, columns = 0;
};

/// weight[O, I]^T: takes rows of I to rows of O.
Packed packed_transposed(const at::Tensor& weight);
/// weight[O, I]: takes rows of O to rows of I.
Packed packed(const at::Tensor& weight);

/// Rows on the left of a product.
struct LeftRows {
  const kernels::Bf16* values;
  int64_t rows;
  int64_t stride;
};

/// c[i][j] += sum_k a[i][k] b[k][j], by the instructions that this CPU has and
/// the system grants. Rows of c are `c_row` apart.
void add_product(const LeftRows& a, const Packed& b, float* c, int64_t c_row);

/// The same sums, rounded: out = start + a b. Rows of `start` are `start_row`
/// apart, none for one that all begin with; those of `out` are contiguous.
void round_product(const LeftRows& a, const Packed& b, const float* start,
                   int64_t start_row, kernels::Bf16* out);

/// A block of rows on both sides: c[i][j] += sum over the rows of a[.][i] *
/// b[.][j], for a[rows, M] and b[rows, N]. Packs both in memory of the thread.
struct RowsProduct {
  const kernels::Bf16 *a, *b;
  int64_t rows, a_columns, b_columns;
  float* c;
  int64_t c_row;
};
void add_product_of_rows(const RowsProduct& job);

/// x weight^T + bias, rounded to bfloat16.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);

/// grad weight, rounded to bfloat16.
at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight);

/// grad^T x, [O, I] in float.
at::Tensor weight_gradient(const at::Tensor& grad, const at::Tensor& x);

/// Sum over the rows of `x`, [O] in float.
at::Tensor column_sums(const at::Tensor& x);

}  // namespace ordered_gnn::cpu::bf16
