#include "ops/detail/scaled_aggregate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cpu/row_sum.h"

namespace ordered_gnn::cpu {
namespace {

using detail::optional;

at::Tensor packed(const optional<at::Tensor>& scale) {
  return scale.has_value() ? scale->contiguous() : at::Tensor();
}

const double* pointer_or_null(const at::Tensor& scale) {
  return scale.defined() ? scale.data_ptr<double>() : nullptr;
}

// `before` may be undefined, for zeros.
at::Tensor sum_rows(const at::Tensor& rowptr, const at::Tensor& col,
                    const optional<at::Tensor>& row_scale,
                    const optional<at::Tensor>& col_scale, const at::Tensor& h,
                    const at::Tensor& before, double share) {
  detail::check_scaled_aggregate(rowptr, col, row_scale, col_scale, h);
  const at::Tensor source = h.contiguous();
  const at::Tensor rows = packed(row_scale);
  const at::Tensor columns = packed(col_scale);
  const at::Tensor out = at::empty_like(source);
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "scaled_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "scaled_aggregate", [&] {
      auto job = row_sum_job<scalar_t, index_t>(rowptr, col, source, out);
      job.row_scale = pointer_or_null(rows);
      job.col_scale = pointer_or_null(columns);
      if (before.defined()) job.before = before.data_ptr<scalar_t>();
      job.before_share = static_cast<scalar_t>(share);
      run_row_sum(job, source.size(0));
    });
  });
  return out;
}

at::Tensor scaled_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& /*t_rowptr*/,
                            const at::Tensor& /*t_col*/,
                            const optional<at::Tensor>& row_scale,
                            const optional<at::Tensor>& col_scale,
                            const at::Tensor& h) {
  return sum_rows(rowptr, col, row_scale, col_scale, h, {}, 0);
}

at::Tensor propagation_step(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h,
                            const at::Tensor& start, double share) {
  return sum_rows(rowptr, col, row_scale, col_scale, h, start.contiguous(),
                  share);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("scaled_aggregate", scaled_aggregate);
  m.impl("propagation_step", propagation_step);
}

}  // namespace ordered_gnn::cpu
