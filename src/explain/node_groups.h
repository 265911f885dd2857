#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ordered_gnn/explain/graph_explanation.h"

namespace ordered_gnn::explain {

/// Groups of the given names; group_of(v) is the place of node v's among them,
/// or -1 for none.
std::vector<NodeGroup> group_nodes(
    const NodeTable& table, const std::vector<std::string>& names,
    const std::function<int64_t(size_t)>& group_of);

/// See GraphExplanation, where each of these is described.
NodeGroup all_nodes(const NodeTable& table);
std::vector<NodeGroup> groups_by_class(const NodeTable& table,
                                       const std::vector<std::string>& names);
std::vector<NodeGroup> groups_by_degree(const NodeTable& table);
std::vector<NodeGroup> groups_by_homophily(const NodeTable& table);
std::vector<NodeGroup> groups_by_part(const NodeTable& table);

}  // namespace ordered_gnn::explain
