#include "ops/cpu/transposed_sum.h"

#include <ATen/Dispatch.h>

#include "ops/cpu/row_sum.h"

namespace ordered_gnn::cpu {

void add_transposed_sum(const detail::ScaledLists& lists,
                        const at::Tensor& grad_m, const at::Tensor& grad_h) {
  const at::Tensor row_scale = detail::packed(lists.row_scale);
  const at::Tensor col_scale = detail::packed(lists.col_scale);
  const auto pointer = [](const at::Tensor& scale) {
    return scale.defined() ? scale.data_ptr<double>() : nullptr;
  };
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, grad_m.scalar_type(), "transposed_sum", [&] {
        AT_DISPATCH_INDEX_TYPES(
            lists.t_col.scalar_type(), "transposed_sum", [&] {
              auto sum = row_sum_job<Stored<scalar_t>, index_t>(
                  lists.t_rowptr, lists.t_col, grad_m, grad_h);
              sum.row_scale = pointer(col_scale);
              sum.col_scale = pointer(row_scale);
              sum.before = sum.out;
              run_row_sum(sum, grad_h.size(0));
            });
      });
}

}  // namespace ordered_gnn::cpu
