#pragma once
#include "ordered_gnn/data/added_nodes.h"

namespace ordered_gnn::data {

/// @throws Error when features are node ids, of which new nodes have none.
void require_features_of_nodes(const NodeDataset& data);

/// @throws Error as with_added() does, but for the ends of edges.
void check_added(const NodeDataset& data, const AddedNodes& added);

/// The features of new nodes as the dataset's were treated, of its kind.
/// @param values  [n, F], checked.
NodeFeatures treated_rows(const NodeDataset& data, const at::Tensor& values);

}  // namespace ordered_gnn::data
