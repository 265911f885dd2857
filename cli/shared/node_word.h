#pragma once
#include <cstdint>
#include <string>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::cli {

/// A node that a word of the command line names.
struct NamedNode {
  int64_t node = 0;
  std::string note;  ///< how the word was read where it can be read in two ways
};

/// The node with this name or, when there is none, with this number, counted
/// from 0; `number:12` is always a number.
/// @throws UsageError when there is no such node, with the name that is nearest
///         to the word, and when several nodes have the name.
NamedNode find_node(const std::string& word, const NodeDataset& data);

}  // namespace ordered_gnn::cli
