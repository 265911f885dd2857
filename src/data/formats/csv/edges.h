#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

#include "data/formats/csv/nodes.h"

namespace ordered_gnn::data {

struct CsvEdges {
  at::Tensor ends;     ///< [2, E] int64
  at::Tensor weights;  ///< [E] float32; undefined: there is no such column
};

/// Reads edges.csv.
/// @throws Error for a wrong header, a column that edges cannot have or, at its
///         line, a node that is not known or a weight that is no finite number
///         of 0 or more.
CsvEdges read_csv_edges(const std::filesystem::path& file,
                        const NodeIds& nodes);

}  // namespace ordered_gnn::data
