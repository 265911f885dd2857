#pragma once
#include <string>

#include "lab/page/explained_model.h"

namespace ordered_gnn::cli {

/// What a model does on a graph, for the terminal: scores of the parts, hop
/// shares, layers, and the nodes to look at.
std::string graph_text(const lab::ExplainedModel& model);

/// Why it says what it says of one node: shares, tree, hops, the answer when
/// messages stop earlier, and the neighbours that matter.
std::string node_text(const lab::ExplainedModel& model,
                      const NodeExplanation& node);

}  // namespace ordered_gnn::cli
