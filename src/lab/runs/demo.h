#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lab/runs/run_splits.h"

namespace ordered_gnn::lab {

/// A generated graph of the demonstration and why it is there.
struct DemoGraph {
  std::string name;
  std::string spec;  ///< synthetic:...
  std::string story;
};

/// A model of the demonstration with the options that make it.
struct DemoSystem {
  std::string name;
  Json options;
};

const std::vector<DemoGraph>& demo_graphs();
const std::vector<DemoSystem>& demo_systems();

/// Options of one cell of the demonstration's table.
RunOptions demo_options(const DemoGraph& graph, const DemoSystem& system);

}  // namespace ordered_gnn::lab
