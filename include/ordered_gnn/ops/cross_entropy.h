#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn {

/// Mean cross-entropy of some nodes, weighted by their classes:
///
///   l_i  = -log softmax(logits[nodes[i]])[labels[i]]
///   loss = sum_i w[labels[i]] l_i / sum_i w[labels[i]]
///
/// Without weights every w is 1, so that loss = 1/n * sum_i l_i. A common
/// factor of all weights changes nothing.
///
/// No nodes, or weights whose sum is 0, give NaN. On the CPU the same bits as
/// torch's cross_entropy of the selected rows; on a GPU summed in float64 in an
/// order fixed by n and C.
///
/// @param logits  [N, C], float32 or float64, on a GPU also bfloat16 with a
/// loss
///                in float32; C at least 1.
/// @param nodes   [n] int64, each in 0 .. N - 1. A GPU's gradient needs them
///                distinct, as the parts of a split are; on the CPU a node that
///                repeats counts every time.
/// @param labels  [n] int64, those of `nodes`, each in 0 .. C - 1.
/// @param weights [C], the type of the loss, each at least 0; undefined: none.
/// @return        a tensor of no dimensions; differentiable in `logits`, with
///                zeros in the rows of all other nodes.
/// @throws c10::Error when shapes, dtypes or devices do not match, and on the
///         CPU when a node or label is out of range. On a GPU, where that look
///         would have to wait for the device, the loss is NaN then.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels,
                         const at::Tensor& weights = {});

}  // namespace ordered_gnn
