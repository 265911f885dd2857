#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/formats/planetoid/graph.h"
#include "data/formats/planetoid/nodes.h"
#include "ordered_gnn/core/features.h"

namespace ordered_gnn::data {

inline constexpr int64_t kNoRow = -1;

/// For every node its row among those of allx followed by those of tx, or
/// kNoRow.
using RowOfNode = std::vector<int64_t>;

/// The nodes are 0 to the largest id that any file names. Each needs a row or a
/// neighbour list, which bounds their number by what the files hold.
/// @throws Error naming `graph_file` and the node that has neither.
RowOfNode match_rows(const NeighbourLists& lists,
                     const std::vector<int64_t>& test_of_line, int64_t num_all,
                     const std::filesystem::path& graph_file);

/// Sparse features of all nodes, empty rows for those without a row.
NodeFeatures gather_features(const PlanetoidPart& all,
                             const PlanetoidPart& test,
                             const RowOfNode& row_of_node);

/// [N] labels, -1 for nodes without a row.
at::Tensor gather_labels(const PlanetoidPart& all, const PlanetoidPart& test,
                         const RowOfNode& row_of_node);

}  // namespace ordered_gnn::data
