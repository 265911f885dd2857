#include "lab/reproduce/merge.h"

#include <algorithm>

#include "lab/reproduce/report.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

void require_same(const char* what, const std::string& more,
                  const std::string& here) {
  if (more == here) return;
  fail("results with the {} '{}' do not go together with those with '{}'", what,
       more, here);
}

void require_mergeable(const ExperimentResult& more,
                       const ExperimentResult& result) {
  require_same("experiment", more.name, result.name);
  require_same("unit", more.unit, result.unit);
  if (result.unit == "ms") require_same("device", more.device, result.device);
  require_same("arithmetic", more.math, result.math);
  if (more.quick || result.quick) {
    fail("quick results of {} are not comparable; leave them out", more.name);
  }
}

// A cell of `more` as it is in `result`, which may be of another device.
CellResult taken_over(CellResult cell, const ExperimentResult& more,
                      const ExperimentResult& result) {
  if (cell.status != CellStatus::done) return cell;
  if (!cell.made_on) cell.made_on = {more.device, more.machine};
  if (cell.made_on->device == result.device) cell.made_on.reset();
  return cell;
}

void merge_cells(const ExperimentResult& more, ExperimentResult& result) {
  for (const CellResult& theirs : more.cells) {
    const CellResult cell = taken_over(theirs, more, result);
    const CellResult* const known = find_cell(result, cell.row, cell.column);
    if (known == nullptr) {
      result.cells.push_back(cell);
    } else if (cell.status == CellStatus::done) {
      result.cells[static_cast<size_t>(known - result.cells.data())] = cell;
    }
  }
}

void merge_makers(const ExperimentResult& more, ExperimentResult& result) {
  for (const MadeBy& maker : more.made_by) {
    const auto known = std::find_if(
        result.made_by.begin(), result.made_by.end(), [&](const MadeBy& one) {
          return one.command == maker.command && one.version == maker.version &&
                 one.commit == maker.commit;
        });
    // The same command twice is the same runs.
    if (known == result.made_by.end()) {
      result.made_by.push_back(maker);
    } else {
      known->runs = std::max(known->runs, maker.runs);
    }
  }
  // A machine of another device is named by its cells.
  if (more.device == result.device &&
      result.machine.find(more.machine) == std::string::npos) {
    result.machine += "; " + more.machine;
  }
}

// Gates are one object per column.
void merge_gates(const Json& more, Json& gates) {
  if (!more.is_array()) return;
  if (!gates.is_array()) gates = Json::array();
  for (const Json& model : more) {
    const auto known =
        std::find_if(gates.begin(), gates.end(), [&](const Json& one) {
          return one.at("column") == model.at("column");
        });
    if (known == gates.end()) {
      gates.push_back(model);
    } else {
      *known = model;
    }
  }
}

void add_missing(const std::vector<std::string>& more,
                 std::vector<std::string>& lines) {
  for (const std::string& line : more) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
      lines.push_back(line);
    }
  }
}

}  // namespace

void merge_result(const ExperimentResult& more, ExperimentResult& result) {
  require_mergeable(more, result);
  merge_cells(more, result);
  merge_makers(more, result);
  merge_gates(more.gates, result.gates);
  add_missing(more.notes, result.notes);
  add_missing(more.broken, result.broken);
}

std::vector<std::string> merge_results(const std::filesystem::path& more,
                                       const std::filesystem::path& folder) {
  const FolderResults added = read_results(more);
  if (added.experiments.empty()) fail_in(more, "has no results to take over");
  FolderResults here = read_results(folder);
  std::vector<ExperimentResult> merged;
  for (const ExperimentResult& result : added.experiments) {
    const auto known = std::find_if(
        here.experiments.begin(), here.experiments.end(),
        [&](const ExperimentResult& one) { return one.name == result.name; });
    if (known != here.experiments.end()) merge_result(result, *known);
    merged.push_back(known == here.experiments.end() ? result : *known);
  }
  for (const ExperimentResult& result : merged) {
    write_result(result, folder);
  }
  return added.problems;
}

}  // namespace ordered_gnn::lab
