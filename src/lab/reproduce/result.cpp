#include "lab/reproduce/result.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

}  // namespace

std::string to_string(CellStatus status) {
  return core::word_of(status, {{CellStatus::done, "done"},
                                {CellStatus::missing, "missing"},
                                {CellStatus::failed, "failed"}});
}

std::vector<RunScore> run_scores(const CellResult& cell) {
  std::vector<RunScore> scores;
  for (const CellRun& run : cell.runs) {
    scores.push_back({run.split, run.seed, run.score});
  }
  return scores;
}

Statistics describe(const CellResult& cell) {
  return describe_runs(run_scores(cell));
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

}  // namespace ordered_gnn::lab
