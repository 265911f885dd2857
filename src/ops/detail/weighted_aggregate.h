#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

namespace ordered_gnn::detail {

void check_weighted_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                              const at::Tensor& weight, const at::Tensor& h);

/// Calls the registered op; `t_edge` is Graph::edge_of_out().
at::Tensor weighted_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                              const at::Tensor& t_rowptr,
                              const at::Tensor& t_col, const at::Tensor& t_edge,
                              const at::Tensor& weight, const at::Tensor& h);

/// Calls the registered op; returns the gradients of weight and h.
std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward(
    const at::Tensor& rowptr, const at::Tensor& col, const at::Tensor& t_rowptr,
    const at::Tensor& t_col, const at::Tensor& t_edge, const at::Tensor& weight,
    const at::Tensor& h, const at::Tensor& grad);

}  // namespace ordered_gnn::detail
