#pragma once
#include "ordered_gnn/core/features.h"
#include "ordered_gnn/explain/attributes.h"

namespace ordered_gnn::explain {

/// The features with one attribute taken from other nodes: node v has that of
/// node order[v].
/// @param features  dense or sparse, on the CPU.
/// @param order     [N] int64, a permutation.
NodeFeatures shuffled_features(const NodeFeatures& features,
                               const Attribute& attribute,
                               const at::Tensor& order);

}  // namespace ordered_gnn::explain
