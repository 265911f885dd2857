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

/// source[sender] + target[receiver] of every edge, [E] or [E, H].
at::Tensor edge_scores(const at::Tensor& rowptr, const at::Tensor& col,
                       const at::Tensor& t_rowptr, const at::Tensor& t_col,
                       const at::Tensor& t_edge, const at::Tensor& source,
                       const at::Tensor& target);

/// [E] int64: the row that each entry of a list belongs to. Its size is given
/// because asking a GPU for it would make the host wait.
at::Tensor receivers(const at::Tensor& rowptr, int64_t num_edges);

}  // namespace ordered_gnn::detail
