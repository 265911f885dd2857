#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::cli {

/// The nodes that `--only` asks for.
///
///   ""            all, in order
///   "labelled"    those with a label
///   "unlabelled"  the others
///   a file        those it names, in its order: a name on every line (a number
///                 where nodes have no names), or a CSV whose first column is
///                 the node. A first line that names no node is the header when
///                 it is "node" or has several columns. Blank lines do not
///                 count.
///
/// @throws Error with file and line for a name that is not there or was given
///         before, and when no node is left.
std::vector<int64_t> selected_nodes(const std::string& only,
                                    const NodeDataset& data);

}  // namespace ordered_gnn::cli
