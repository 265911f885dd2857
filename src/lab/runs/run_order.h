#pragma once
#include "ordered_gnn/data/node_order.h"
#include "ordered_gnn/train/execution.h"

namespace ordered_gnn::lab {

/// node_order() with METIS, where this build has it: parts of so few nodes that
/// their rows stay in a core's cache, those next to each other that have most
/// edges between them.
/// @throws UsageError for `metis` when this build has none; Error when METIS
///         fails.
at::Tensor order_of_nodes(const NodeDataset& data, NodeOrder order);

/// The data in the order that the options ask for; itself where that is the one
/// it has.
/// @param data  on the CPU, as it was loaded.
NodeDataset in_run_order(const NodeDataset& data,
                         const ExecutionOptions& options);

}  // namespace ordered_gnn::lab
