#pragma once
#include <ATen/core/Tensor.h>

#include <string>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::data {

/// Places [N, 2] float64 by classical scaling of hop distances, above 512 nodes
/// from 512 landmarks.
/// @param graph  without loops, every edge both ways, on the CPU.
at::Tensor isomap_places(const Graph& graph);

/// Places [N, 2] float64 by the second and third eigenvector of the random
/// walk.
at::Tensor spectral_places(const Graph& graph);

/// A way to give nodes their places.
struct GraphEmbedding {
  std::string name;  ///< tells files of one way from those of another
  at::Tensor (*places)(const Graph& graph);
};
inline const GraphEmbedding kIsomap = {"isomap", &isomap_places};
inline const GraphEmbedding kSpectral = {"spectral", &spectral_places};

/// The vector with the sign that makes its largest element (the first on ties)
/// positive: eigenvectors have none of their own.
at::Tensor with_fixed_sign(const at::Tensor& vector);

}  // namespace ordered_gnn::data
