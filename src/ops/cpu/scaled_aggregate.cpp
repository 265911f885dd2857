#include "ops/detail/scaled_aggregate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/row_sum.h"
#include "ops/detail/arguments.h"

namespace ordered_gnn::cpu {
namespace {

const double* pointer_or_null(const at::Tensor& scale) {
  return scale.defined() ? scale.data_ptr<double>() : nullptr;
}

// The sum plus share * before; `before` may be undefined, for zeros.
at::Tensor sum_rows(const detail::ScaledLists& lists, const at::Tensor& h,
                    const at::Tensor& before, double share) {
  detail::check_scaled_aggregate(lists, h);
  const at::Tensor source = h.contiguous();
  const at::Tensor rows = detail::packed(lists.row_scale);
  const at::Tensor columns = detail::packed(lists.col_scale);
  const int64_t num_rows = lists.rowptr.numel() - 1;
  const at::Tensor out =
      core::recycled_empty({num_rows, h.size(1)}, source.options());
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, h.scalar_type(), "scaled_aggregate", [&] {
        using T = Stored<scalar_t>;
        AT_DISPATCH_INDEX_TYPES(
            lists.col.scalar_type(), "scaled_aggregate", [&] {
              auto job =
                  row_sum_job<T, index_t>(lists.rowptr, lists.col, source, out);
              job.row_scale = pointer_or_null(rows);
              job.col_scale = pointer_or_null(columns);
              if (before.defined()) job.before = values_of<T>(before);
              job.before_share = static_cast<kernels::Computed<T>>(share);
              run_row_sum(job, num_rows);
            });
      });
  return out;
}

at::Tensor scaled_aggregate(const detail::ScaledAggregateArguments& arguments) {
  return sum_rows(arguments.lists, arguments.h, {}, 0);
}

at::Tensor propagation_step(const detail::PropagationStepArguments& arguments) {
  return sum_rows(arguments.lists, arguments.h, arguments.start.contiguous(),
                  arguments.share);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("scaled_aggregate", detail::registered<scaled_aggregate>);
  m.impl("propagation_step", detail::registered<propagation_step>);
}

}  // namespace ordered_gnn::cpu
