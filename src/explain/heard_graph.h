#pragma once
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::explain {

/// The graph along which a model's messages run: `graph` itself, or, for one
/// whose nodes hear both ways (NodeModel::hears_both_ways()), every edge of it
/// both ways, without weights. A hop of the model is a step in it.
Graph heard_graph(const NodeModel& model, const Graph& graph);

}  // namespace ordered_gnn::explain
