#include <fmt/format.h>

#include <cmath>

#include "lab/reproduce/report.h"
#include "lab/reproduce/tables.h"

namespace ordered_gnn::lab {
namespace {

// All digits, empty for what is not there.
std::string field(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string field(const std::optional<double>& value) {
  return value ? field(*value) : "";
}

std::string field(const std::optional<bool>& value) {
  return !value ? "" : *value ? "yes" : "no";
}

}  // namespace

std::string experiment_csv(const ExperimentResult& result) {
  ReportTable table({"experiment",
                     "quick",
                     "column",
                     "row",
                     "dataset",
                     "recipe",
                     "status",
                     "unit",
                     "runs",
                     "mean",
                     "deviation",
                     "standard_error",
                     "paper",
                     "paper_deviation",
                     "difference",
                     "in_standard_errors",
                     "in_joint_standard_errors",
                     "inside_two_standard_errors",
                     "verdict",
                     "reason"});
  const std::string quick = result.quick ? quick_label() : "no";
  for (const CellResult& cell : result.cells) {
    const Statistics ours = describe(cell);
    const bool done = cell.status == CellStatus::done;
    std::vector<std::string> line = {result.name,
                                     quick,
                                     cell.column,
                                     cell.row,
                                     cell.dataset,
                                     cell.recipe,
                                     to_string(cell.status),
                                     result.unit,
                                     std::to_string(cell.runs.size()),
                                     field(ours.mean),
                                     done ? field(ours.deviation) : "",
                                     field(ours.standard_error)};
    if (cell.published) {
      line.push_back(field(cell.published->mean));
      line.push_back(field(cell.published->deviation));
    } else {
      line.insert(line.end(), 2, "");
    }
    if (done && cell.published) {
      const PublishedComparison comparison =
          compare_published(ours, *cell.published);
      line.push_back(field(comparison.difference));
      line.push_back(field(comparison.in_standard_errors));
      line.push_back(field(comparison.in_joint_standard_errors));
      line.push_back(field(comparison.inside_two_standard_errors));
    } else {
      line.insert(line.end(), 4, "");
    }
    line.push_back(result.unit == "ms" ? "" : verdict_text(result, cell));
    line.push_back(cell.reason);
    table.add(std::move(line));
  }
  return table.csv();
}

}  // namespace ordered_gnn::lab
