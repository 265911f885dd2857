#include "lab/reproduce/depths.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ordered_gnn::lab {
namespace {

const std::string kColumnPart = ", ";

void count_depth(const CellResult& cell, DepthSummary& summary) {
  const int64_t depth = std::stoll(cell.row);
  if (cell.status != CellStatus::done) {
    summary.missing.push_back(depth);
    return;
  }
  const double mean = describe(cell).mean;
  if (summary.depths.empty() || mean > summary.best) {
    summary.best = mean;
    summary.best_depth = depth;
  }
  if (summary.depths.empty() || mean < summary.worst) {
    summary.worst = mean;
    summary.worst_depth = depth;
  }
  summary.depths.push_back(depth);
}

}  // namespace

std::string depth_column_name(const DepthColumn& column) {
  return column.system.empty() ? column.graph
                               : column.graph + kColumnPart + column.system;
}

DepthColumn depth_column(const std::string& name) {
  const size_t end = name.find(kColumnPart);
  if (end == std::string::npos) return {name, ""};
  return {name.substr(0, end), name.substr(end + kColumnPart.size())};
}

bool has_depth_systems(const ExperimentResult& result) {
  return std::any_of(result.cells.begin(), result.cells.end(),
                     [](const CellResult& cell) {
                       return !depth_column(cell.column).system.empty();
                     });
}

std::vector<DepthSummary> summarise_depths(const ExperimentResult& result) {
  std::vector<DepthSummary> summaries;
  for (const std::string& column : columns_of(result)) {
    DepthSummary summary;
    summary.column = column;
    for (const CellResult& cell : result.cells) {
      if (cell.column == column) count_depth(cell, summary);
    }
    if (summary.depths.empty()) continue;
    // A whole point counts as within, whatever the last bit says.
    summary.within_one_point = summary.best - summary.worst <= 1 + 1e-9;
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

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

}  // namespace ordered_gnn::lab
