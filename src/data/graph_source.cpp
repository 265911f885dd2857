#include "data/graph_source.h"

#include <ATen/Functions.h>

#include <memory>

#include "data/tables/table.h"

namespace ordered_gnn::data {

void validate_nodes(const RawDataset& nodes) {
  RawDataset alone = nodes;
  alone.edges = at::empty({2, 0}, at::kLong);
  alone.edge_weights = at::Tensor();
  // Features that a table is still to become are not looked at. Any others
  // would take memory for every node.
  alone.table = std::make_shared<Table>();
  alone.features = NodeFeatures();
  validate(alone);
}

}  // namespace ordered_gnn::data
