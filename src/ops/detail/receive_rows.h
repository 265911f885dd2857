#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/optional.h"

namespace ordered_gnn::detail {

/// Calls the registered op, which GPUs have: h, m and prev_gate (undefined
/// without one) of the nodes that the lists are of.
std::tuple<at::Tensor, at::Tensor, at::Tensor> receive_rows(
    const at::Tensor& nodes, const at::Tensor& rowptr, const at::Tensor& col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate);

/// Calls the registered op: gradients of h and prev_gate.
std::tuple<at::Tensor, at::Tensor> receive_rows_backward(
    const at::Tensor& nodes, const at::Tensor& place,
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& grad_own,
    const at::Tensor& grad_m, const optional<at::Tensor>& grad_prev);

}  // namespace ordered_gnn::detail
