#pragma once
#include <ATen/core/Tensor.h>

#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/row_sum_kernel.h"
#include "ops/cpu/scratch.h"

namespace ordered_gnn::cpu {

/// The plain sum of the rows of `h` over a compressed list, to which scales or
/// weights may be added.
template <typename T, typename Index>
kernels::RowSum<T, Index> row_sum_job(const at::Tensor& rowptr,
                                      const at::Tensor& col,
                                      const at::Tensor& h,
                                      const at::Tensor& out) {
  kernels::RowSum<T, Index> job;
  job.rowptr = rowptr.data_ptr<int64_t>();
  job.col = col.data_ptr<Index>();
  job.h = values_of<T>(h);
  job.out = values_of<T>(out);
  job.dim = h.size(1);
  return job;
}

/// In blocks of a tenth of a millisecond at the usual widths: small enough that
/// many threads end together.
template <typename T, typename Index>
void run_row_sum(const kernels::RowSum<T, Index>& job, int64_t num_rows) {
  parallel_rows(job.rowptr, num_rows,
                [&](int64_t begin, int64_t end) {
                  ORDERED_GNN_SIMD_CALL(row_sum(job, begin, end));
                },
                {/*block=*/1024, /*row=*/1});
}

/// A scaled sum over in-neighbours, of which any block of rows can be computed.
struct ScaledRows {
  at::Tensor rowptr, col;
  at::Tensor row_scale, col_scale;  // [N] float64, undefined for ones
  at::Tensor h;                     // [N, D]
};

/// Rows [begin, begin + rows) of the sum into `out`, which starts at the first.
template <typename T, typename Index>
void sum_block(const ScaledRows& in, int64_t begin, int64_t rows, T* out) {
  kernels::RowSum<T, Index> job;
  job.rowptr = in.rowptr.data_ptr<int64_t>() + begin;
  job.col = in.col.data_ptr<Index>();
  if (in.row_scale.defined()) {
    job.row_scale = in.row_scale.data_ptr<double>() + begin;
  }
  if (in.col_scale.defined()) job.col_scale = in.col_scale.data_ptr<double>();
  job.h = values_of<T>(in.h);
  job.out = out;
  job.dim = in.h.size(1);
  ORDERED_GNN_SIMD_CALL(row_sum(job, 0, rows));
}

}  // namespace ordered_gnn::cpu
