#include <fmt/format.h>

#include "lab/reproduce/depths.h"
#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {

std::string experiment_text(const ExperimentResult& result) {
  std::string text = result.title + "\n";
  text += result.unit == "ms"
              ? "milliseconds of an epoch\n"
              : scores_text(result) +
                    " in %, mean ± sample deviation over the splits\n";
  if (result.quick) text += quick_label() + "\n";
  const ExperimentReport& report = report_of(result);
  for (const ReportTable& table : report.terminal(result)) {
    text += "\n" + table.text();
  }
  const ReportTable paired = paired_table(result);
  if (!paired.rows().empty()) text += "\n" + paired.text();
  const ReportTable short_of = shortfall_table(result, {});
  if (!short_of.rows().empty()) {
    text += fmt::format("\nMore than {} points below the paper\n{}",
                        kShortfallPoints, short_of.text());
  }
  if (report.over_depth) text += "\n" + depth_table(result).text();
  for (const CellResult& cell : result.cells) {
    if (cell.status == CellStatus::done) continue;
    text += fmt::format("{}, {}: {}: {}\n", cell.column, cell.row,
                        to_string(cell.status), cell.reason);
  }
  for (const std::string& line : result.broken) {
    text += "not used: " + line + "\n";
  }
  return text;
}

std::string experiment_latex(const ExperimentResult& result) {
  const ExperimentReport& report = report_of(result);
  std::vector<ReportTable> tables = report.terminal(result);
  tables.push_back(paired_table(result));
  if (report.over_depth) tables.push_back(depth_table(result));
  std::string text = "% " + result.title + "\n";
  if (result.quick) text += "% " + quick_label() + "\n";
  for (const ReportTable& table : tables) {
    if (!table.rows().empty()) text += "\n" + table.latex();
  }
  return text;
}

}  // namespace ordered_gnn::lab
