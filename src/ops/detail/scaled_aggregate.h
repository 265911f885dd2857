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

/// Calls the registered op, which has no gradient of its own: the scaled sum
/// over the rows of `h`, [N, D], plus share * start.
at::Tensor propagation_step(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h,
                            const at::Tensor& start, double share);

}  // namespace ordered_gnn::detail
