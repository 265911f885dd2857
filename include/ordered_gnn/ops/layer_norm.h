#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn {

/// What happens around a norm in the same pass.
struct LayerNormSettings {
  double eps = 1e-5;
  bool relu = false;   ///< normalises max(x, 0)
  double dropout = 0;  ///< of the result, see dropout.h
  DropoutKey dropout_key;
};

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

/// dropout(layer_norm(relu(x))) in one pass over the rows, the same values as
/// the ops one after the other. Kept for backward are x and two numbers per
/// row. Throws as layer_norm() and dropout() do.
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias,
                      const LayerNormSettings& settings);

}  // namespace ordered_gnn
