#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::cuda {

/// Sum over the rows of `x`, [O], in a fixed order.
at::Tensor column_sums(const at::Tensor& x);

/// Sum over the rows of a short matrix of partial sums.
at::Tensor sum_partials(const at::Tensor& partial);

/// A weighted or scaled sum over a list; undefined tensors stand for ones.
struct ListSum {
  at::Tensor rowptr, col;
  at::Tensor row_scale, col_scale;  // float64
  at::Tensor edge_weight, edge_of;  // edge_of: int64, undefined = list order
};

/// out = the sum over the rows of `h`; with `accumulate`, added to `out`.
/// `h` and `out` are contiguous.
void list_sum(const ListSum& list, const at::Tensor& h, const at::Tensor& out,
              bool accumulate = false);

}  // namespace ordered_gnn::cuda
