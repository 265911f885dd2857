#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn {

/// First layer of a model: y = dropout(x) W^T + b for features of any kind.
///
/// Sparse rows gather columns of W, identity features look one up per node;
/// neither is made dense, in forward or in backward. The mask of dropout() is
/// indexed by node * F + feature, so the kind does not change the result
/// beyond rounding. Differentiable in `weight`, `bias` and the values of the
/// features: dense ones, and, without dropout, the entries of sparse rows (the
/// gradient of an entry (v, f) is grad[v] . W[:, f]; zeros that are not stored
/// have none).
///
/// @param weight   [D, F] float32 or float64. Sparse kinds run fastest when its
///                 transpose is contiguous.
/// @param bias     [D].
/// @param dropout  in [0, 1); 0 means none.
/// @return         [N, D].
/// @throws c10::Error when shapes, dtypes or devices do not match.
at::Tensor feature_linear(const NodeFeatures& features,
                          const at::Tensor& weight, const at::Tensor& bias,
                          double dropout, const DropoutKey& key);

/// Dense features as `weight` multiplies them: of its type, or in bfloat16.
at::Tensor dense_rows(const NodeFeatures& features, const at::Tensor& weight);

}  // namespace ordered_gnn
