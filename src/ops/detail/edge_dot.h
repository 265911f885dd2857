#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::detail {

void check_edge_dot(const at::Tensor& rowptr, const at::Tensor& col,
                    const at::Tensor& a, const at::Tensor& b, int64_t heads);

/// Calls the registered op, which gives [E, heads]; `t_edge` is
/// Graph::edge_of_out().
at::Tensor edge_dot(const at::Tensor& rowptr, const at::Tensor& col,
                    const at::Tensor& t_rowptr, const at::Tensor& t_col,
                    const at::Tensor& t_edge, const at::Tensor& a,
                    const at::Tensor& b, int64_t heads);

}  // namespace ordered_gnn::detail
