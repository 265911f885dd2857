#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>

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

/// The same in pieces of about `most` edges; the last one may be empty.
using OnCsvEdges = std::function<void(const CsvEdges& edges)>;
void walk_csv_edges(const std::filesystem::path& file, const NodeIds& nodes,
                    int64_t most, const OnCsvEdges& on_edges);

/// What edges.csv holds, its lines not looked at.
struct CsvEdgeCount {
  int64_t edges = 0;
  bool has_weights = false;
};
/// @throws Error for a wrong header or a column that edges cannot have.
CsvEdgeCount count_csv_edges(const std::filesystem::path& file);

}  // namespace ordered_gnn::data
