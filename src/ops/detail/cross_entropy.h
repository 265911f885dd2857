#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/optional.h"

namespace ordered_gnn::detail {

/// Arguments of the registered op `cross_entropy`.
struct CrossEntropyArguments {
  at::Tensor logits, nodes, labels;
  optional<at::Tensor> weights;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.logits, self.nodes, self.labels, self.weights);
  }
};

/// Arguments of the registered op `cross_entropy_backward`.
struct CrossEntropyBackwardArguments {
  CrossEntropyArguments forward;
  at::Tensor grad;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.forward, self.grad);
  }
};

/// Shapes, dtypes and devices; not the values.
void check_cross_entropy(const CrossEntropyArguments& arguments);

/// Calls the registered op.
at::Tensor cross_entropy(const CrossEntropyArguments& arguments);

/// Calls the registered op: the gradient of logits, [N, C], for that of the
/// loss, a tensor of no dimensions. Probabilities are computed again: keeping
/// them would cost more memory traffic than it saves.
at::Tensor cross_entropy_backward(
    const CrossEntropyBackwardArguments& arguments);

}  // namespace ordered_gnn::detail
