#include "lab/reproduce/result.h"

#include <fmt/format.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

const std::string kColumnPart = ", ";

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

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

std::string to_string(CellStatus status) {
  switch (status) {
    case CellStatus::done:
      return "done";
    case CellStatus::missing:
      return "missing";
    case CellStatus::failed:
      break;
  }
  return "failed";
}

Statistics describe(const CellResult& cell) {
  std::vector<double> scores;
  for (const CellRun& run : cell.runs) scores.push_back(run.score);
  return describe(scores);
}

void count_run(const std::string& command, const std::string& version,
               const std::string& commit, std::vector<MadeBy>& makers) {
  for (MadeBy& maker : makers) {
    if (maker.command == command && maker.version == version &&
        maker.commit == commit) {
      ++maker.runs;
      return;
    }
  }
  makers.push_back({command, version, commit, 1});
}

std::string quick_label() {
  return fmt::format(
      "QUICK: at most {} splits, one seed, {} epochs; not comparable with the "
      "paper",
      kQuickSplits, kQuickEpochs);
}

std::vector<std::string> rows_of(const ExperimentResult& result) {
  std::vector<std::string> rows;
  for (const CellResult& cell : result.cells) add_once(rows, cell.row);
  return rows;
}

std::vector<std::string> columns_of(const ExperimentResult& result) {
  std::vector<std::string> columns;
  for (const CellResult& cell : result.cells) add_once(columns, cell.column);
  return columns;
}

const CellResult* find_cell(const ExperimentResult& result,
                            const std::string& row, const std::string& column) {
  for (const CellResult& cell : result.cells) {
    if (cell.row == row && cell.column == column) return &cell;
  }
  return nullptr;
}

std::vector<const CellResult*> shortfalls(const ExperimentResult& result) {
  std::vector<const CellResult*> cells;
  if (result.quick || result.unit != "%") return cells;
  for (const CellResult& cell : result.cells) {
    if (cell.status != CellStatus::done || !cell.published) continue;
    if (describe(cell).mean - cell.published->mean < -kShortfallPoints) {
      cells.push_back(&cell);
    }
  }
  return cells;
}

bool is_over_depth(const ExperimentResult& result) {
  return result.name == "depth" || result.name == "depth-tuned";
}

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
  return is_over_depth(result) &&
         std::any_of(result.cells.begin(), result.cells.end(),
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

}  // namespace ordered_gnn::lab
