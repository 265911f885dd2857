#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lab/report/table.h"
#include "lab/reproduce/result.h"

namespace ordered_gnn::lab {

// Of results whose rows are numbers of layers, see ExperimentReport.

/// What depth does to a column whose rows are numbers of layers.
struct DepthSummary {
  std::string column;
  int64_t best_depth = 0;
  double best = 0;
  int64_t worst_depth = 0;
  double worst = 0;
  std::vector<int64_t> depths;  ///< that are done
  std::vector<int64_t> missing;
  /// Whether the mean of every depth is at most one point below the best mean.
  bool within_one_point = false;
};

/// A column of such an experiment: the graph, and the system unless it is
/// Ordered GNN. "cora" and "cora, GCN+DropEdge".
struct DepthColumn {
  std::string graph;
  std::string system;  ///< empty: Ordered GNN
};
std::string depth_column_name(const DepthColumn& column);
DepthColumn depth_column(const std::string& name);

/// Whether an experiment over depth has other systems than Ordered GNN.
bool has_depth_systems(const ExperimentResult& result);

/// One per column with at least one finished depth.
std::vector<DepthSummary> summarise_depths(const ExperimentResult& result);

/// The same as a table.
ReportTable depth_table(const ExperimentResult& result);

}  // namespace ordered_gnn::lab
