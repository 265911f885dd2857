#include "explain/attribute_passes.h"

#include <algorithm>

namespace ordered_gnn::explain {

std::string why_no_attributes(const NodeDataset& data, int64_t num_classes) {
  if (data.features.kind() == NodeFeatures::Kind::identity) {
    return "The features of this graph are the ids of its nodes, which have no "
           "attributes.";
  }
  if (data.features.num_features() == 0) return "Nodes have no attributes.";
  if (num_classes < 2) return "There is one class and nothing to decide.";
  return "";
}

int64_t pass_visits(int64_t num_edges, const NodeFeatures& features,
                    int64_t rounds) {
  const int64_t values = features.kind() == NodeFeatures::Kind::dense
                             ? features.dense_values().numel()
                             : features.rows().value.numel();
  return std::max<int64_t>(rounds, 1) * (num_edges + features.num_nodes()) +
         values + 1;
}

}  // namespace ordered_gnn::explain
