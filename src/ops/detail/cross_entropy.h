#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::detail {

/// Shapes, dtypes and devices; not the values.
void check_cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels);

/// Calls the registered op.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels);

/// Calls the registered op: the gradient of logits, [N, C], for that of the
/// loss, a tensor of no dimensions. Probabilities are computed again: keeping
/// them would cost more memory traffic than it saves.
at::Tensor cross_entropy_backward(const at::Tensor& grad,
                                  const at::Tensor& logits,
                                  const at::Tensor& nodes,
                                  const at::Tensor& labels);

}  // namespace ordered_gnn::detail
