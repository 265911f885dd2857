#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/reproduce/tables.h"

namespace ordered_gnn::lab {

ReportTable depth_table(const ExperimentResult& result) {
  ReportTable table({"dataset", "best depth", "best mean, %", "lowest at",
                     "lowest mean, %", "spread", "all within one point"});
  for (const DepthSummary& summary : summarise_depths(result)) {
    std::string within = summary.within_one_point ? "yes" : "no";
    if (!summary.missing.empty()) {
      within += fmt::format(" (without {})", fmt::join(summary.missing, ", "));
    }
    table.add({summary.column, std::to_string(summary.best_depth),
               fmt::format("{:.2f}", summary.best),
               std::to_string(summary.worst_depth),
               fmt::format("{:.2f}", summary.worst),
               fmt::format("{:.2f}", summary.best - summary.worst), within});
  }
  return table;
}

std::vector<std::string> depth_graphs(const ExperimentResult& result) {
  std::vector<std::string> graphs;
  for (const std::string& column : columns_of(result)) {
    const std::string graph = depth_column(column).graph;
    if (std::find(graphs.begin(), graphs.end(), graph) == graphs.end()) {
      graphs.push_back(graph);
    }
  }
  return graphs;
}

ReportTable depth_systems_table(const ExperimentResult& result,
                                const std::string& graph) {
  std::vector<std::string> header = {graph};
  for (const std::string& depth : rows_of(result)) header.push_back(depth);
  ReportTable table(header);
  for (const std::string& name : columns_of(result)) {
    const DepthColumn column = depth_column(name);
    if (column.graph != graph) continue;
    std::vector<std::string> line = {column.system.empty() ? kOrderedGnn
                                                           : column.system};
    for (const std::string& depth : rows_of(result)) {
      line.push_back(
          ours_and_paper(find_cell(result, depth, name), result.unit));
    }
    table.add(std::move(line));
  }
  return table;
}

}  // namespace ordered_gnn::lab
