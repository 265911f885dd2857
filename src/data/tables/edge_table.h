#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "data/formats/name_index.h"
#include "data/tables/delimited_text.h"

namespace ordered_gnn::data {

/// What a row of edges does whose end is no node.
enum class UnknownEnds { error, skip };

struct EdgeTableOptions {
  std::string source;  ///< column; empty: the first
  std::string target;  ///< column; empty: the second
  std::string weight;  ///< column; empty: edges have no weights
  UnknownEnds unknown = UnknownEnds::error;
};

struct EdgeRows {
  at::Tensor edges;    ///< [2, E] int64
  at::Tensor weights;  ///< [E] float32; undefined without
  int64_t num_skipped = 0;
};

/// Edges between nodes that are given by name, from
///   - a delimited table with a header;
///   - a list as SNAP and networkx write them: two names and perhaps a number
///     or {'weight': 2.0} a line, blanks or tabs between, lines that begin
///     with # or % are comments. Recognised by a comment at its start, by
///     blanks between the fields, or by a first line of two node names.
/// @param notes  gets how the file was read, where it could surprise.
/// @throws Error at the line of an unknown end, a weight that is no number or
///         below 0, or a line with too few fields; UsageError for a column that
///         does not exist.
EdgeRows read_edge_table(const DelimitedText& text, const NameIndex& nodes,
                         const EdgeTableOptions& options,
                         std::vector<std::string>& notes);
EdgeRows read_edge_table(const std::filesystem::path& file,
                         const NameIndex& nodes,
                         const EdgeTableOptions& options,
                         std::vector<std::string>& notes);

}  // namespace ordered_gnn::data
