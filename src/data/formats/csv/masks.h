#pragma once
#include <filesystem>
#include <vector>

#include "data/formats/csv/nodes.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Reads masks.csv. Nodes without a line are in no part.
/// @throws Error for a wrong header, a cell that is no part, a node given
///         twice.
std::vector<Split> read_csv_masks(const std::filesystem::path& file,
                                  const NodeIds& nodes);

}  // namespace ordered_gnn::data
