#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/arguments.h"
#include "ops/detail/dropout.h"
#include "ordered_gnn/core/features.h"

namespace ordered_gnn::detail {

template <>
struct Members<SparseRows> {
  template <typename Self>
  static auto of(Self& self) {
    return std::tie(self.rowptr, self.col, self.value);
  }
};

/// Arguments of the registered op `sparse_linear`.
struct SparseLinearArguments {
  SparseRows rows;     ///< X
  SparseRows columns;  ///< its transpose, which serves the gradient
  at::Tensor weight, bias;
  Dropout dropout;  ///< of X

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.rows, self.columns, self.weight, self.bias,
                    self.dropout);
  }
};

/// Arguments of the registered op `sparse_linear_backward`.
struct SparseLinearBackwardArguments {
  SparseRows columns;
  at::Tensor grad;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.columns, self.grad, self.dropout);
  }
};

void check_sparse_linear(const SparseLinearArguments& arguments);

/// Calls the registered op: dropout(X) W^T + b for sparse rows X.
at::Tensor sparse_linear(const SparseLinearArguments& arguments);

/// Calls the registered op: gradients of weight and bias.
std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const SparseLinearBackwardArguments& arguments);

}  // namespace ordered_gnn::detail
