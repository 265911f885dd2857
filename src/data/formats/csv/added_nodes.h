#pragma once
#include <filesystem>
#include <string>

#include "ordered_gnn/data/added_nodes.h"

namespace ordered_gnn::data {

/// Tables of what joins a dataset; either may be empty.
struct AddedFiles {
  /// One row per new node: its name, and a number per feature. Columns are
  /// matched with NodeDataset::feature_names, in any order; where the dataset
  /// has none they are its features in order. Of a dataset that was made of a
  /// table, the columns of that table, in the user's units.
  std::filesystem::path nodes;
  /// Header source,target: names of nodes, old or new.
  std::filesystem::path edges;
  std::string id;  ///< column of the names; empty: the first
};

/// @throws Error as "file:line: why": for a name that the dataset has already,
///         that is given twice or that an edge alone has, for columns that are
///         missing or not known, for a cell that is no number, and for a file
///         without rows.
AddedNodes read_added_nodes(const NodeDataset& data, const AddedFiles& files);

}  // namespace ordered_gnn::data
