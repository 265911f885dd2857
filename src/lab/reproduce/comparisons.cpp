#include <fmt/format.h>

#include <cmath>

#include "lab/reproduce/tables.h"

namespace ordered_gnn::lab {
namespace {

std::string probability_text(double p) {
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

std::string device_of_cell(const ExperimentResult& result,
                           const std::string& row, const std::string& column) {
  const CellResult* const cell = find_cell(result, row, column);
  return cell != nullptr && cell->made_on ? cell->made_on->device
                                          : result.device;
}

// ", two devices" where rows of a column are: sums in another order move single
// runs as another seed would.
std::string devices_text(const ExperimentResult& result,
                         const std::string& column, const std::string& row,
                         const std::string& against) {
  return device_of_cell(result, row, column) ==
                 device_of_cell(result, against, column)
             ? ""
             : ", two devices";
}

std::vector<std::string> paired_line(const CellComparison& comparison) {
  const PairedComparison& paired = comparison.paired;
  const Statistics& difference = paired.difference;
  std::vector<std::string> line = {comparison.column, comparison.row,
                                   comparison.against,
                                   signed_text(difference.mean, 2)};
  if (difference.count < 2) {
    line.insert(line.end(), {"", std::to_string(difference.count), "", "",
                             "too few pairs, no error known"});
    return line;
  }
  // Differences all alike have no error and an infinite t.
  const bool finite = std::isfinite(paired.t);
  line.insert(line.end(),
              {fmt::format("{:.2f}", difference.standard_error),
               std::to_string(difference.count),
               finite ? fmt::format("{:.2f}", paired.t) : "",
               finite ? probability_text(paired.p_value) : "",
               paired.inside_noise ? "inside the noise" : "outside the noise"});
  return line;
}

// Empty when nobody gave one.
std::string reason_for(const ShortfallReasons& reasons,
                       const std::string& experiment, const CellResult& cell) {
  const auto rows = reasons.find(experiment);
  if (rows == reasons.end()) return "";
  const auto columns = rows->second.find(cell.row);
  if (columns == rows->second.end()) return "";
  for (const std::string& column : {cell.column, std::string("*")}) {
    const auto reason = columns->second.find(column);
    if (reason != columns->second.end()) return reason->second;
  }
  return "";
}

}  // namespace

ReportTable paired_table(const ExperimentResult& result) {
  ReportTable table(
      {column_heading(result), row_heading(result), "against", "difference",
       "SE", "pairs", "t", "p", ""},
      {Align::left, Align::left, Align::left, Align::right, Align::right,
       Align::right, Align::right, Align::right, Align::left});
  const std::vector<CellComparison> comparisons = paired_comparisons(result);
  for (const std::string& column : columns_of(result)) {
    for (const CellComparison& comparison : comparisons) {
      if (comparison.column != column) continue;
      std::vector<std::string> line = paired_line(comparison);
      line.back() +=
          devices_text(result, column, comparison.row, comparison.against);
      table.add(line);
    }
  }
  return table;
}

ReportTable standing_table(const ExperimentResult& result,
                           const std::vector<Standing>& standings) {
  ReportTable table({column_heading(result), row_heading(result),
                     "best of the others", "difference", "SE", "pairs", ""},
                    {Align::left, Align::left, Align::left, Align::right,
                     Align::right, Align::right, Align::left});
  for (const Standing& standing : standings) {
    const Statistics& difference = standing.paired.difference;
    table.add({standing.column, standing.row, standing.rival,
               signed_text(difference.mean, 2),
               std::isfinite(difference.standard_error)
                   ? fmt::format("{:.2f}", difference.standard_error)
                   : "",
               std::to_string(difference.count),
               to_string(standing.place) + devices_text(result, standing.column,
                                                        standing.row,
                                                        standing.rival)});
  }
  return table;
}

ReportTable shortfall_table(const ExperimentResult& result,
                            const ShortfallReasons& reasons) {
  ReportTable table({column_heading(result), row_heading(result), "ours, %",
                     "paper, %", "difference", "likely reason"},
                    {Align::left, Align::left, Align::right, Align::right,
                     Align::right, Align::left});
  for (const CellResult* cell : shortfalls(result)) {
    const Statistics ours = describe(*cell);
    const std::string reason = reason_for(reasons, result.name, *cell);
    table.add({cell->column, cell->row, value_text(ours, result.unit),
               value_text(*cell->published, result.unit),
               signed_text(ours.mean - cell->published->mean, 2),
               reason.empty() ? "not known" : reason});
  }
  return table;
}

}  // namespace ordered_gnn::lab
