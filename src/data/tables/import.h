#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/tables/edge_table.h"
#include "data/tables/table.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// A graph as its owner has it: a table of nodes and a table of edges.
struct ImportOptions {
  std::filesystem::path nodes;
  std::filesystem::path edges;  ///< empty: of a GraphML file, in `nodes`
  std::string name;             ///< empty: from the table of nodes
  std::string id;               ///< column of nodes; empty: the first
  std::string label;            ///< column of nodes; empty: there are no labels
  std::string unlabelled;       ///< a label that means none, beside the empty
  std::vector<std::string> drop;           ///< columns that are not used
  std::map<std::string, AskedKind> asked;  ///< kinds of columns
  EdgeTableOptions edge_columns;
  /// Whether every edge goes both ways; without a value it is decided: an edge
  /// list in which less than one edge in twenty has its reverse lists every
  /// undirected edge once; otherwise edges are as they stand.
  std::optional<bool> undirected;
  /// Whether to make the features; a file that keeps the table needs none.
  bool with_features = true;
};

/// Reads the tables, finds out what columns are and fits their treatment; what
/// was decided is in provenance.notes. Nodes are in the order of their table.
/// @throws Error at file and line, see DelimitedText, read_table(),
///         read_edge_table(); when an id is empty or repeated, or all labelled
///         nodes have the same label.
RawDataset import_tables(const ImportOptions& options);

/// Makes the features of a dataset that has a table: by options.columns where
/// there are any, which then become the dataset's, else by its own.
/// @throws Error as apply_columns() does.
void make_features(RawDataset& raw, const LoadOptions& options = {});

}  // namespace ordered_gnn::data
