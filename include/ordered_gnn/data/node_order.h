#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// In which order the rows of nodes lie in memory while a model computes. Sums
/// over neighbours read rows all over it: rows that are read together, or
/// often, are found sooner where they lie together.
enum class NodeOrder {
  none,    ///< as the data has them
  degree,  ///< nodes that are read most often first
  rcm,     ///< reverse Cuthill-McKee: neighbours near each other
  metis,   ///< parts with few edges between them, one after the other
};
const std::vector<std::string>& node_order_names();
std::string to_string(NodeOrder order);
NodeOrder parse_node_order(const std::string& name);

/// The nodes of a graph in an order of their own: position r has node
/// order[r]. Edges count as both ways, and which of equals comes first follows
/// their numbers, so that a graph always gets the same order.
/// @return [N] int64 on the CPU.
/// @throws UsageError for `metis`, which this library is not linked with.
at::Tensor node_order(const Graph& graph, NodeOrder order);

/// The same dataset with node order[r] as node r: graph, features, labels,
/// splits and names. Identity features become sparse rows, since columns keep
/// their meaning. The result has NodeDataset::order, and another fingerprint.
/// @param data   on the CPU, in the order it was loaded in.
/// @param order  [N] int64, every node once.
/// @throws UsageError when it is no such list, or `data` was reordered before.
NodeDataset reordered(const NodeDataset& data, const at::Tensor& order);

/// Rows [N, ...] of nodes of `data` in the order that it was loaded in;
/// themselves where that is the one they have.
at::Tensor in_loaded_order(const NodeDataset& data, const at::Tensor& rows);

}  // namespace ordered_gnn
