#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn::ops {

/// One layer of an input network: a product, relu, a norm and dropout.
struct InputStackLayer {
  at::Tensor weight;       ///< [D, I]
  at::Tensor bias;         ///< [D]
  at::Tensor norm_weight;  ///< [D]
  at::Tensor norm_bias;    ///< [D]
  double dropout = 0;      ///< of the layer's result, see dropout.h
};

/// What the layers have in common.
struct InputStackSettings {
  double norm_eps = 1e-5;
  double dropout = 0;  ///< of x
  /// Of x; the result of layer i, counted from 0, has the site i + 1 behind it.
  DropoutKey dropout_key;
  /// Whether backward computes the products again instead of keeping them. It
  /// then may write into the gradient of the result that it is given.
  bool recompute = false;
};

/// dropout(layer_norm(relu(linear(.)))), layer after layer, on dropout(x): the
/// same values as linear(), layer_norm() and dropout() one after the other.
///
/// Kept for backward are x and, unless it is to recompute them, one row matrix
/// per layer, the product; the layers' results come back as a by-product of
/// undoing the norms, the dropout of x is computed again. On the CPU keeping
/// them costs less time.
///
/// @param x       [N, I]. When the first layer has neither weight nor bias, x
///                stands for its product, [N, D], and gets no dropout.
/// @param layers  at least one.
/// @return        [N, D]; differentiable in x and all parameters.
/// @throws c10::Error when shapes, dtypes or devices do not match.
at::Tensor input_stack(const at::Tensor& x,
                       const std::vector<InputStackLayer>& layers,
                       const InputStackSettings& settings);

}  // namespace ordered_gnn::ops
