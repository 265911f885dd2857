#pragma once
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::training {

/// Refuses to split the directions of a graph that has none to tell apart: one
/// whose every edge runs both ways, as it is stored or as it is read.
/// @throws UsageError with the remedy.
void require_directed(const RunOptions& options, const NodeDataset& data);

}  // namespace ordered_gnn::training
