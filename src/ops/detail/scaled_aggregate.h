#pragma once
#include <ATen/core/Tensor.h>

#include "ops/detail/optional.h"

namespace ordered_gnn::detail {

void check_scaled_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                            const optional<at::Tensor>& row_scale,
                            const optional<at::Tensor>& col_scale,
                            const at::Tensor& h);

/// Calls the registered op through the dispatcher.
at::Tensor scaled_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& t_rowptr, const at::Tensor& t_col,
                            const optional<at::Tensor>& row_scale,
                            const optional<at::Tensor>& col_scale,
                            const at::Tensor& h);

}  // namespace ordered_gnn::detail
