#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::data {

/// Places [N, 2] float64 by hop distances; see Embedding::isomap.
/// @param graph  without loops, every edge both ways, on the CPU.
at::Tensor isomap_places(const Graph& graph);

/// Places [N, 2] float64 by eigenvectors; see Embedding::spectral.
at::Tensor spectral_places(const Graph& graph);

/// The vector with the sign that makes its largest element (the first on ties)
/// positive: eigenvectors have none of their own.
at::Tensor with_fixed_sign(const at::Tensor& vector);

}  // namespace ordered_gnn::data
