#pragma once
#include <vector>

#include "data/option_keys.h"
#include "ordered_gnn/data/csbm.h"
#include "ordered_gnn/data/shaped_graph.h"

namespace ordered_gnn {

const std::vector<OptionKey<CsbmOptions>>& csbm_keys();
const std::vector<OptionKey<ShapedGraphOptions>>& shaped_graph_keys();

}  // namespace ordered_gnn
