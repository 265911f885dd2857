#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn {

/// y = x W^T + b. Products run in row blocks fixed by the shapes, so the
/// result is the same bits for any number of threads.
///
/// @param x       [N, I], float32 or float64.
/// @param weight  [O, I].  @param bias  [O].
/// @return        [N, O]; differentiable in all three.
/// @throws c10::Error when shapes, dtypes or devices do not match.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);

/// y = [a ; b] W^T + bias without building the concatenation [a ; b].
///
/// @param a       [N, A].  @param b  [N, B].
/// @param weight  [O, A + B].  @param bias  [O].
/// @return        [N, O]; differentiable in all four.
at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias);

}  // namespace ordered_gnn
