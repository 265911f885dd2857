#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/features.h"

namespace ordered_gnn {

/// The non-zero elements of a [N, F] matrix as sparse features.
NodeFeatures sparse_from(const at::Tensor& dense);

}  // namespace ordered_gnn
