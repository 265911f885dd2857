#pragma once
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::training {

/// The data where the options ask to compute, rows stored as their `math` asks.
/// On the CPU it shares everything with `data`.
/// @throws Error with the sizes when a GPU has not enough memory.
NodeDataset place(const NodeDataset& data, const RunOptions& options);

/// Moves a model there; on the CPU it stays as it is.
void place(NodeModel& model, const RunOptions& options);

}  // namespace ordered_gnn::training
