#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::detail {

/// Calls the registered ops. The gradient needs the output alone.
at::Tensor edge_softmax(const at::Tensor& rowptr, const at::Tensor& score);
at::Tensor edge_softmax_backward(const at::Tensor& rowptr,
                                 const at::Tensor& out, const at::Tensor& grad);
void check_edge_softmax(const at::Tensor& rowptr, const at::Tensor& score);

}  // namespace ordered_gnn::detail
