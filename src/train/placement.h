#pragma once
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::training {

/// Whether data as it was loaded is where and what the options ask for; a copy
/// is needed otherwise.
bool takes_loaded_data(const ExecutionOptions& options);

/// @throws UsageError when the execution asks for an order of nodes and the
///         model has parameters that go by their numbers.
void check_reorder(const RunOptions& run, const ExecutionOptions& execution);

/// @throws UsageError in the name of `who` when the data was reordered: node
///         numbers given or kept are those of the data as it was loaded.
void require_loaded_order(const NodeDataset& data, const char* who);

/// The data in the order that the options ask for; itself where that is the one
/// it has, or it was reordered already.
/// @param data  on the CPU.
/// @throws UsageError as node_order() does.
NodeDataset in_execution_order(const NodeDataset& data,
                               const ExecutionOptions& options);

/// The data where the options ask to compute and in the order they ask for,
/// rows stored as their `math` asks.
/// What is so already is shared with `data`.
/// @throws Error with the sizes when a GPU has not enough memory.
NodeDataset place(const NodeDataset& data, const RunOptions& options);

/// Moves a model there; on the CPU it stays as it is.
void place(NodeModel& model, const RunOptions& options);

}  // namespace ordered_gnn::training
