#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

namespace ordered_gnn::detail {

void check_sparse_linear(const at::Tensor& rowptr, const at::Tensor& t_rowptr,
                         const at::Tensor& weight, const at::Tensor& bias,
                         double p);

/// Calls the registered op: dropout(X) W^T + b for sparse rows X, whose
/// transpose (t_*) serves the gradient.
at::Tensor sparse_linear(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& value, const at::Tensor& t_rowptr,
                         const at::Tensor& t_col, const at::Tensor& t_value,
                         const at::Tensor& weight, const at::Tensor& bias,
                         double p, int64_t seed, int64_t step, int64_t site);

/// Calls the registered op: gradients of weight and bias.
std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const at::Tensor& t_value, const at::Tensor& grad, double p, int64_t seed,
    int64_t step, int64_t site);

}  // namespace ordered_gnn::detail
