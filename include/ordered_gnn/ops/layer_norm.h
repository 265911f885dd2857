#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn {

/// LayerNorm over the last dimension:
/// y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, row by row, with the
/// biased variance. Gradients of weight and bias are summed over fixed row
/// blocks, so they do not depend on the number of threads.
///
/// @param x       [N, D], float32 or float64; D at least 1.
/// @param weight  [D].  @param bias  [D].
/// @return        [N, D]; differentiable in all three.
/// @throws c10::Error when shapes, dtypes or devices do not match.
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, double eps = 1e-5);

}  // namespace ordered_gnn
