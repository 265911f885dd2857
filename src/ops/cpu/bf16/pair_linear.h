#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

// pair_linear() of rows in bfloat16 with parameters in float.
namespace ordered_gnn::cpu::bf16 {

/// [a ; b] weight^T + bias, rounded to bfloat16 once.
at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias);

/// Gradients of a and b, rounded, and of weight and bias in float.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> pair_linear_backward(
    const at::Tensor& grad, const at::Tensor& a, const at::Tensor& b,
    const at::Tensor& weight);

}  // namespace ordered_gnn::cpu::bf16
