#include "data/generators/generated_size.h"

#include <fmt/format.h>

#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::data {

int64_t generated_bytes(const GeneratedSize& size) {
  const double per_node = 8 * (2.0 + static_cast<double>(size.num_splits));
  const double per_value = size.sparse ? 8 : 4;  // a column and a value
  return static_cast<int64_t>(per_node * static_cast<double>(size.num_nodes) +
                              16 * size.num_edges +
                              per_value * size.feature_values);
}

void require_memory_for(const GeneratedSize& size, const std::string& name) {
  require_memory(
      generated_bytes(size), name,
      fmt::format("a graph of {} nodes, {:.0f} edges and {:.0f} feature values",
                  size.num_nodes, size.num_edges, size.feature_values));
}

}  // namespace ordered_gnn::data
