#pragma once
#include <string>
#include <vector>

#include "lab/runs/run_splits.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::cli {

/// One line on how a graph was read: nodes, edges, which way they go and by
/// whose decision, loops, features and their treatment, classes, splits.
std::string reading_text(const NodeDataset& data, lab::DirectionBy decided);

/// What to try when the graph may have been read otherwise than meant: almost
/// no edge has its reverse, and nobody said that edges have a direction.
std::vector<std::string> reading_hints(const NodeDataset& data,
                                       lab::DirectionBy decided);

}  // namespace ordered_gnn::cli
