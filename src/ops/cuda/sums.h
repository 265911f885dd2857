#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ops/detail/lists.h"

namespace ordered_gnn::cuda {

/// Sum over the rows of `x`, [O], in a fixed order; float32 when `x` is
/// bfloat16.
at::Tensor column_sums(const at::Tensor& x);

/// Sum over the rows of a short matrix of partial sums, float32 or float64,
/// shared out to up to three tensors of these widths, which make up its
/// columns. Tensors of their own and not parts of one: autograd copies a part
/// before it keeps it.
std::vector<at::Tensor> sum_partials(const at::Tensor& partial,
                                     at::IntArrayRef widths);

/// A weighted or scaled sum over a list; undefined tensors stand for ones.
struct ListSum {
  at::Tensor rowptr, col;
  at::Tensor row_scale, col_scale;  // float64
  at::Tensor edge_weight, edge_of;  // edge_weight: as the rows, or float32 when
                                    // they are bfloat16; edge_of: int64,
                                    // undefined = list order
};

/// The sum over lists with their scales.
ListSum sum_over(const detail::ScaledLists& lists);

/// out = before + the sum over the rows of `h`; an undefined `before` counts as
/// zeros, and it may be `out`. With `before_of`, [N] int32, row v of the output
/// takes row before_of[v] of `before`, none where that is negative.
///
/// @param h, before  [*, D], the columns of a row side by side; rows may be
///                   further apart than D, as in one half of a wider matrix.
/// @param out        [N, D], contiguous, of the type of `h`; not `h`.
void list_sum(const ListSum& list, const at::Tensor& h, const at::Tensor& out,
              const at::Tensor& before = {}, const at::Tensor& before_of = {});

}  // namespace ordered_gnn::cuda
