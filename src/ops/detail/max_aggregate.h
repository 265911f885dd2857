#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

namespace ordered_gnn::detail {

/// Calls the registered op; returns the maxima and the neighbour that holds
/// each, [N, D] in the type of `col`, -1 where there is none.
std::tuple<at::Tensor, at::Tensor> max_aggregate(const at::Tensor& rowptr,
                                                 const at::Tensor& col,
                                                 const at::Tensor& t_rowptr,
                                                 const at::Tensor& t_col,
                                                 const at::Tensor& h);
at::Tensor max_aggregate_backward(const at::Tensor& t_rowptr,
                                  const at::Tensor& t_col,
                                  const at::Tensor& winner,
                                  const at::Tensor& grad);

}  // namespace ordered_gnn::detail
