#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/explain/graph_explanation.h"

namespace ordered_gnn::explain {

/// Fills all that follows from `out.nodes`: groups, scores and lists.
/// @param class_names  of the data, which may name fewer than there are.
/// @param has_split    whether nodes have parts of a split.
void finish_graph(const std::vector<std::string>& class_names, bool has_split,
                  const GraphExplanationOptions& options,
                  GraphExplanation& out);

}  // namespace ordered_gnn::explain
