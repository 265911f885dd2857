#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

#include "data/formats/csv/nodes.h"

namespace ordered_gnn::data {

/// Reads edges.csv.
/// @return [2, E] int64.
/// @throws Error for a wrong header or, at its line, a node that is not known.
at::Tensor read_csv_edges(const std::filesystem::path& file,
                          const NodeIds& nodes);

}  // namespace ordered_gnn::data
