#pragma once
#include <vector>

#include "explain/feature_path.h"
#include "ordered_gnn/explain/attribution.h"

namespace ordered_gnn::explain {

/// The attribute that each of so many features belongs to; -1 for none.
std::vector<int64_t> attribute_by_feature(
    const std::vector<Attribute>& attributes, int64_t num_features);

/// Adds attributions up: by attribute, the node's own and those of others, into
/// `out`, and by node into the result.
/// @param attributions  in the shape of the path's values.
/// @param place         of the node that is explained.
std::vector<double> add_contributions(const FeaturePath& path,
                                      const at::Tensor& attributions,
                                      const std::vector<Attribute>& attributes,
                                      int64_t place, NodeAttribution& out);

}  // namespace ordered_gnn::explain
