#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lab/report/page.h"

namespace ordered_gnn::lab {

/// One number of the demonstration's table.
struct DemoCell {
  std::string system;
  std::string graph;
  double test_mean = 0;  ///< a fraction
  double test_std = 0;
  std::filesystem::path folder;  ///< of the run
};

/// The page of the demonstration: its table, the hop shares of the Ordered GNN
/// on every graph beside each other, and the explanation of its first split's
/// model on the last graph.
/// @throws Error when a folder has no model, or its data cannot be made.
Page demo_page(const std::vector<DemoCell>& cells);

}  // namespace ordered_gnn::lab
