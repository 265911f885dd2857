#include "ops/cuda/sums.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/column_sums.h"
#include "ops/cuda/kernels/rows/row_sum.h"

namespace ordered_gnn::cuda {
namespace {

// Elements from one row to the next; a single row may claim anything.
int pitch_of(const at::Tensor& rows) {
  const int width = width_of(rows);
  if (rows.size(0) < 2 || width == 0) return width;
  TORCH_INTERNAL_ASSERT(width == 1 || rows.stride(1) == 1);
  const int64_t pitch = rows.stride(0);
  TORCH_INTERNAL_ASSERT(pitch >= width &&
                        pitch <= std::numeric_limits<int>::max());
  return static_cast<int>(pitch);
}

}  // namespace

at::Tensor column_sums(const at::Tensor& x) {
  const OnDevice device(x);
  const at::Tensor rows = x.contiguous();
  const bool is_half = x.scalar_type() == at::kBFloat16;
  const at::Tensor partial =
      fresh({column_sum_blocks(x.size(0)), x.size(1)},
            is_half ? x.options().dtype(at::kFloat) : x.options());
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "column_sums", [&] {
        using Sum = Compute<Kernel<scalar_t>>;
        C10_CUDA_CHECK(launch_column_sums(rows_of<scalar_t>(rows), x.size(0),
                                          width_of(x), partial.data_ptr<Sum>(),
                                          device.stream()));
      });
  return sum_partials(partial, {x.size(1)})[0];
}

void sum_partials(const SharedSums& sums) {
  if (!sums.partial.defined()) return;
  const OnDevice device(sums.partial);
  AT_DISPATCH_FLOATING_TYPES(sums.partial.scalar_type(), "sum_partials", [&] {
    C10_CUDA_CHECK(
        launch_sum_partials(partial_sums<scalar_t>(sums), device.stream()));
  });
}

std::vector<at::Tensor> sum_partials(const at::Tensor& partial,
                                     at::IntArrayRef widths) {
  SharedSums sums{partial, {}};
  for (const int64_t width : widths) {
    sums.out.push_back(fresh({width}, partial.options()));
  }
  sum_partials(sums);
  return sums.out;
}

ListSum sum_over(const detail::ScaledLists& lists) {
  return {
      lists.rowptr, lists.col, packed(lists.row_scale), packed(lists.col_scale),
      {},           {}};
}

void list_sum(const ListSum& list, const at::Tensor& h, const at::Tensor& out,
              const at::Tensor& before, const at::Tensor& before_of) {
  const OnDevice device(h);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, h.scalar_type(), "list_sum", [&] {
        AT_DISPATCH_INDEX_TYPES(list.col.scalar_type(), "list_sum", [&] {
          using Row = Kernel<scalar_t>;
          RowSum<Row, Row, index_t> job;
          job.rowptr = list.rowptr.data_ptr<int64_t>();
          job.col = list.col.data_ptr<index_t>();
          job.row_scale = pointer_of<double>(list.row_scale);
          job.col_scale = pointer_of<double>(list.col_scale);
          job.edge_weight = pointer_of<Compute<Row>>(list.edge_weight);
          job.edge_of = pointer_of<int64_t>(list.edge_of);
          job.h = rows_of<scalar_t>(h);
          job.before = rows_of<scalar_t>(before);
          job.before_of = pointer_of<int32_t>(before_of);
          job.out = rows_of<scalar_t>(out);
          job.rows = list.rowptr.numel() - 1;
          job.h_rows = h.size(0);
          job.entries = list.col.numel();
          job.dim = width_of(h);
          job.h_pitch = pitch_of(h);
          job.before_pitch = before.defined() ? pitch_of(before) : 0;
          C10_CUDA_CHECK(launch_row_sum(job, device.stream()));
        });
      });
}

}  // namespace ordered_gnn::cuda
