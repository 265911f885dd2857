#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/dropout.h"

namespace ordered_gnn::detail {

/// Arguments of the registered op `layer_norm`.
struct LayerNormArguments {
  at::Tensor x, weight, bias;
  double eps = 0;
  bool relu = false;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.x, self.weight, self.bias, self.eps, self.relu,
                    self.dropout);
  }
};

/// Arguments of the registered op `layer_norm_again`: a call of `layer_norm`
/// and what came of it besides y.
struct LayerNormAgainArguments {
  LayerNormArguments norm;
  at::Tensor mean, rstd;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.norm, self.mean, self.rstd);
  }
};

/// Arguments of the registered op `layer_norm_backward`.
struct LayerNormBackwardArguments {
  at::Tensor grad, x, mean, rstd, weight;
  bool relu = false;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.grad, self.x, self.mean, self.rstd, self.weight,
                    self.relu, self.dropout);
  }
};

/// Arguments of the registered op `layer_norm_undo`.
struct LayerNormUndoArguments {
  at::Tensor grad;
  LayerNormAgainArguments kept;
  bool need_parameters = true;
  bool need_out = false;
  bool reuse_memory = false;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.grad, self.kept, self.need_parameters, self.need_out,
                    self.reuse_memory);
  }
};

void check_layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, const Dropout& dropout);

/// Calls the registered op: {y [N, D], mean [N], rstd [N]}.
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const LayerNormArguments& arguments);

/// Calls the registered op: y once more, to the bit, from the mean and rstd
/// that came with it.
at::Tensor layer_norm_again(const LayerNormAgainArguments& arguments);

/// Calls the registered op: gradients of x, weight and bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const LayerNormBackwardArguments& arguments);

/// Gradients of x, weight and bias, the sum of the first over the rows, [D],
/// and y.
using LayerNormUndone =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// Calls the registered op: layer_norm_backward() for those who did not keep y.
/// The gradients of weight and bias are undefined without `need_parameters`, y
/// is without `need_out`. With `reuse_memory` the gradient of x may be `grad`.
LayerNormUndone layer_norm_undo(const LayerNormUndoArguments& arguments);

}  // namespace ordered_gnn::detail
