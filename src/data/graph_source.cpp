#include "data/graph_source.h"

#include <ATen/Functions.h>

namespace ordered_gnn::data {

void validate_nodes(const RawDataset& nodes) {
  RawDataset alone = nodes;
  alone.edges = at::empty({2, 0}, at::kLong);
  alone.edge_weights = at::Tensor();
  alone.features = NodeFeatures::identity(nodes.num_nodes);
  alone.feature_names.clear();
  validate(alone);
}

}  // namespace ordered_gnn::data
