#include "explain/told_labels.h"

#include <torch/types.h>

namespace ordered_gnn::explain {

KnownLabels told_labels(const NodeTable& table) {
  std::vector<int64_t> nodes, labels;
  for (size_t v = 0; v < table.label.size(); ++v) {
    if (table.part[v] != NodePart::train || table.label[v] < 0) continue;
    nodes.push_back(static_cast<int64_t>(v));
    labels.push_back(table.label[v]);
  }
  return {torch::tensor(nodes, at::kLong), torch::tensor(labels, at::kLong)};
}

}  // namespace ordered_gnn::explain
