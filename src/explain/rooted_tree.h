#pragma once
#include <vector>

#include "explain/heard_part.h"
#include "ordered_gnn/explain/node_explanation.h"

namespace ordered_gnn::explain {

/// See NodeExplanation::tree.
std::vector<TreeNode> rooted_tree(const Graph& graph, const NodeTable& table,
                                  int64_t root, int64_t depth,
                                  const NodeExplanationOptions& options);

/// See NodeExplanation::hops.
std::vector<HopView> hop_views(const Reached& reached, const NodeTable& table);

/// Nodes whose removal is tried first: the nearest, of those the ones with the
/// most in-neighbours, of those by id; up to `depth` rounds away, the root left
/// out.
struct Candidate {
  int64_t node = 0;
  int64_t distance = 0;
};
std::vector<Candidate> candidates(const Reached& reached,
                                  const NodeTable& table, int64_t depth);

}  // namespace ordered_gnn::explain
