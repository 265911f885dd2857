#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

namespace ordered_gnn::detail {

void check_linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);
void check_pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias);

/// Call the registered ops; the backward ones return the gradients in the
/// order of the arguments.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);
std::tuple<at::Tensor, at::Tensor, at::Tensor> linear_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight,
    bool need_grad_x);
/// Two of these gradients by themselves.
at::Tensor linear_input_gradient(const at::Tensor& grad,
                                 const at::Tensor& weight);
at::Tensor linear_weight_gradient(const at::Tensor& grad, const at::Tensor& x);
at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias);
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> pair_linear_backward(
    const at::Tensor& grad, const at::Tensor& a, const at::Tensor& b,
    const at::Tensor& weight);

}  // namespace ordered_gnn::detail
