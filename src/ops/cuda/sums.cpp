#include "ops/cuda/sums.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/column_sums.h"
#include "ops/cuda/kernels/row_sum.h"

namespace ordered_gnn::cuda {

at::Tensor column_sums(const at::Tensor& x) {
  const OnDevice device(x);
  const at::Tensor rows = x.contiguous();
  const at::Tensor partial =
      at::empty({column_sum_blocks(x.size(0)), x.size(1)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "column_sums", [&] {
    C10_CUDA_CHECK(launch_column_sums(rows.data_ptr<scalar_t>(), x.size(0),
                                      width_of(x), partial.data_ptr<scalar_t>(),
                                      device.stream()));
  });
  return sum_partials(partial);
}

at::Tensor sum_partials(const at::Tensor& partial) {
  const OnDevice device(partial);
  const at::Tensor out = at::empty({partial.size(1)}, partial.options());
  AT_DISPATCH_FLOATING_TYPES(partial.scalar_type(), "sum_partials", [&] {
    C10_CUDA_CHECK(launch_sum_partials(
        partial.data_ptr<scalar_t>(), partial.size(0), partial.size(1),
        out.data_ptr<scalar_t>(), device.stream()));
  });
  return out;
}

void list_sum(const ListSum& list, const at::Tensor& h, const at::Tensor& out,
              bool accumulate) {
  const OnDevice device(h);
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "list_sum", [&] {
    AT_DISPATCH_INDEX_TYPES(list.col.scalar_type(), "list_sum", [&] {
      RowSum<scalar_t, index_t> job;
      job.rowptr = list.rowptr.data_ptr<int64_t>();
      job.col = list.col.data_ptr<index_t>();
      job.row_scale = pointer_of<double>(list.row_scale);
      job.col_scale = pointer_of<double>(list.col_scale);
      job.edge_weight = pointer_of<scalar_t>(list.edge_weight);
      job.edge_of = pointer_of<int64_t>(list.edge_of);
      job.h = h.data_ptr<scalar_t>();
      job.out = out.data_ptr<scalar_t>();
      job.rows = list.rowptr.numel() - 1;
      job.entries = list.col.numel();
      job.dim = width_of(h);
      job.accumulate = accumulate;
      C10_CUDA_CHECK(launch_row_sum(job, device.stream()));
    });
  });
}

}  // namespace ordered_gnn::cuda
