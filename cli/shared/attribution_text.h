#pragma once
#include <string>

#include "lab/page/explained_model.h"

namespace ordered_gnn::cli {

/// Which attributes of a node mattered, and of which other nodes.
std::string attribution_text(const lab::ExplainedModel& model,
                             const NodeAttribution& attribution);

/// Which attributes matter on the whole graph.
/// @param model  one with importance.
std::string importance_text(const lab::ExplainedModel& model);

}  // namespace ordered_gnn::cli
