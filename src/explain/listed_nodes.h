#pragma once
#include <vector>

#include "ordered_gnn/explain/graph_explanation.h"

namespace ordered_gnn::explain {

/// See GraphExplanation::mistakes.
/// @param test_only  whether to look at nodes of the test part alone.
std::vector<ListedNode> confident_mistakes(const NodeTable& table,
                                           bool test_only, int64_t most);

/// See GraphExplanation::unusual; empty without shares.
std::vector<ListedNode> unusual_shares(const NodeTable& table, int64_t most);

}  // namespace ordered_gnn::explain
