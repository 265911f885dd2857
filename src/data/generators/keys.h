#pragma once
#include <vector>

#include "data/generators/csbm.h"
#include "data/generators/option_keys.h"
#include "data/generators/shaped_graph.h"

namespace ordered_gnn::data {

const std::vector<OptionKey<CsbmOptions>>& csbm_keys();
const std::vector<OptionKey<ShapedGraphOptions>>& shaped_graph_keys();

}  // namespace ordered_gnn::data
