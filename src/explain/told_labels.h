#pragma once
#include "ordered_gnn/explain/node_table.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::explain {

/// The labels of the table's training part, which models that read labels are
/// told.
KnownLabels told_labels(const NodeTable& table);

}  // namespace ordered_gnn::explain
