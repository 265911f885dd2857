#pragma once
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::training {

/// Whether data as it was loaded is where and what the options ask for; a copy
/// is needed otherwise.
bool takes_loaded_data(const ExecutionOptions& options);

/// The data where the options ask to compute, rows stored as their `math` asks.
/// What is so already is shared with `data`.
/// @throws Error with the sizes when a GPU has not enough memory.
NodeDataset place(const NodeDataset& data, const RunOptions& options);

/// Moves a model there; on the CPU it stays as it is.
void place(NodeModel& model, const RunOptions& options);

}  // namespace ordered_gnn::training
