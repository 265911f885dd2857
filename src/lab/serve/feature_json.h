#pragma once
#include <string>
#include <vector>

#include "data/live/live_graph.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// The features of one node, before the treatment of the graph, of an object
/// that has them as one of `features`, `columns` and `sparse`; see
/// change_from_json().
/// @param node   the object.
/// @param field  its path.
/// @throws data::FieldError naming the part that does not fit.
std::vector<float> features_from_json(const Json& node,
                                      const data::LiveGraph& graph,
                                      const std::string& field);

}  // namespace ordered_gnn::lab
