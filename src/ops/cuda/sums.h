#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ops/cuda/kernels/rows/column_sums.h"
#include "ops/detail/lists.h"

namespace ordered_gnn::cuda {

/// Sum over the rows of `x`, [O], in a fixed order; float32 when `x` is
/// bfloat16.
at::Tensor column_sums(const at::Tensor& x);

/// The sum over the rows of a short matrix of partial sums, float32 or float64,
/// shared out to up to three vectors, whose lengths make up its columns.
/// Nothing when `partial` is undefined.
struct SharedSums {
  at::Tensor partial;
  std::vector<at::Tensor> out;
};

void sum_partials(const SharedSums& sums);

/// The same with new vectors of these widths. Tensors of their own and not
/// views of one: autograd copies a view before it keeps it.
std::vector<at::Tensor> sum_partials(const at::Tensor& partial,
                                     at::IntArrayRef widths);

/// As kernels take it; T is the type of the tensors.
template <typename T>
PartialSums<T> partial_sums(const SharedSums& sums) {
  PartialSums<T> job;
  if (!sums.partial.defined()) return job;
  job.partial = sums.partial.data_ptr<T>();
  job.blocks = sums.partial.size(0);
  SumTargets<T>& targets = job.targets;
  for (const at::Tensor& out : sums.out) {
    TORCH_INTERNAL_ASSERT(targets.count < targets.kMost);
    targets.out[targets.count] = out.data_ptr<T>();
    targets.end[targets.count++] = job.columns += out.numel();
  }
  TORCH_INTERNAL_ASSERT(job.columns == sums.partial.size(1));
  return job;
}

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
