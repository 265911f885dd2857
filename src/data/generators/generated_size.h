#pragma once
#include <cstdint>
#include <string>

namespace ordered_gnn::data {

/// What the memory of a generated graph follows from.
struct GeneratedSize {
  int64_t num_nodes = 0;
  double num_edges = 0;       ///< stored pairs
  double feature_values = 0;  ///< those that are not zero when sparse
  bool sparse = false;
  int64_t num_splits = 0;
};

/// Bytes of the graph when it is done: no generator gets by with less.
int64_t generated_bytes(const GeneratedSize& size);

/// @throws Error with the number when require_memory() refuses that.
void require_memory_for(const GeneratedSize& size, const std::string& name);

}  // namespace ordered_gnn::data
