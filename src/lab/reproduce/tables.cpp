#include "lab/reproduce/tables.h"

#include <fmt/format.h>

#include <cmath>

#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {
namespace {

std::string plain_value(double value, const std::string& unit) {
  if (!std::isfinite(value)) return "-";
  const int digits = unit == "ms" ? (value < 10 ? 3 : 1) : 2;
  return fmt::format("{:.{}f}", value, digits);
}

std::string errors_text(const std::optional<double>& errors) {
  return errors ? signed_text(*errors, 2) : "";
}

// The cells of a comparison that depend on both sides being there.
std::vector<std::string> compared(const ExperimentResult& result,
                                  const CellResult& cell) {
  if (cell.status != CellStatus::done || !cell.published) {
    return {"", "", "", verdict_text(result, cell)};
  }
  const PublishedComparison comparison =
      compare_published(describe(cell), *cell.published);
  return {signed_text(comparison.difference, 2),
          errors_text(comparison.in_standard_errors),
          errors_text(comparison.in_joint_standard_errors),
          verdict_text(result, cell)};
}

}  // namespace

std::string row_heading(const ExperimentResult& result) {
  return report_of(result).row_heading;
}

std::string column_heading(const ExperimentResult& result) {
  return report_of(result).column_heading;
}

std::string cell_text(const CellResult* cell, const std::string& unit) {
  if (cell == nullptr) return "";
  if (cell->status != CellStatus::done) return to_string(cell->status);
  return value_text(describe(*cell), unit);
}

std::string published_text(const std::optional<PublishedValue>& value,
                           const std::string& unit) {
  return value ? value_text(*value, unit) : "";
}

std::string signed_text(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:+.{}f}", value, digits) : "-";
}

std::string value_text(const Statistics& values, const std::string& unit) {
  const std::string mean = plain_value(values.mean, unit);
  if (values.count < 2) return mean;
  return fmt::format("{} ± {}", mean, plain_value(values.deviation, unit));
}

std::string value_text(const PublishedValue& value, const std::string& unit) {
  // The paper writes two digits, of times too.
  const std::string mean = plain_value(value.mean, "%");
  if (!value.deviation) return mean;
  return fmt::format("{} ± {}", mean, plain_value(*value.deviation, unit));
}

std::string verdict_text(const ExperimentResult& result,
                         const CellResult& cell) {
  if (cell.status != CellStatus::done) return to_string(cell.status);
  if (!cell.published) return "";
  if (result.quick) return "quick, not judged";
  const Statistics ours = describe(cell);
  return verdict(ours, compare_published(ours, *cell.published));
}

ReportTable comparison_table(const ExperimentResult& result) {
  const bool rows = rows_of(result).size() > 1;
  std::vector<std::string> header = {column_heading(result)};
  std::vector<Align> align = {Align::left};
  if (rows) {
    header.push_back(row_heading(result));
    align.push_back(Align::left);
  }
  for (const char* title : {"ours, %", "runs", "paper, %", "difference",
                            "in our SE", "in SE of both"}) {
    header.emplace_back(title);
    align.push_back(Align::right);
  }
  header.emplace_back("");
  align.push_back(Align::left);
  ReportTable table(header, align);
  for (const std::string& column : columns_of(result)) {
    for (const CellResult& cell : result.cells) {
      if (cell.column != column) continue;
      std::vector<std::string> line = {cell.column};
      if (rows) line.push_back(cell.row);
      line.push_back(cell_text(&cell, result.unit));
      line.push_back(cell.runs.empty() ? "" : std::to_string(cell.runs.size()));
      line.push_back(published_text(cell.published, result.unit));
      for (std::string& text : compared(result, cell)) {
        line.push_back(std::move(text));
      }
      table.add(std::move(line));
    }
  }
  return table;
}

std::string ours_and_paper(const CellResult* cell, const std::string& unit) {
  std::string text = cell_text(cell, unit);
  if (cell != nullptr && cell->published) {
    text += fmt::format(" ({})", value_text(*cell->published, unit));
  }
  return text;
}

ReportTable table_of_cells(
    const ExperimentResult& result,
    const std::function<std::string(const CellResult* cell)>& text) {
  std::vector<std::string> header = {row_heading(result)};
  for (const std::string& column : columns_of(result)) header.push_back(column);
  ReportTable table(header);
  for (const std::string& row : rows_of(result)) {
    std::vector<std::string> line = {row};
    for (const std::string& column : columns_of(result)) {
      line.push_back(text(find_cell(result, row, column)));
    }
    table.add(std::move(line));
  }
  return table;
}

ReportTable overview_table(const ExperimentResult& result) {
  return table_of_cells(result, [&](const CellResult* cell) {
    return ours_and_paper(cell, result.unit);
  });
}

ReportTable measured_table(const ExperimentResult& result) {
  ReportTable table({"dataset", "ours, %", "measured, %", "difference",
                     "in our SE", "in SE of both"});
  for (const CellResult& cell : result.cells) {
    if (!cell.measured || cell.status != CellStatus::done) continue;
    const PublishedComparison comparison =
        compare_published(describe(cell), *cell.measured);
    table.add({cell.column, cell_text(&cell, result.unit),
               value_text(*cell.measured, result.unit),
               signed_text(comparison.difference, 2),
               errors_text(comparison.in_standard_errors),
               errors_text(comparison.in_joint_standard_errors)});
  }
  return table;
}

ReportTable systems_table(const ExperimentResult& result,
                          const std::string& paper_table) {
  // Numbers of the paper are found by dataset, the columns are recipes.
  std::vector<std::string> header = {"system"}, datasets;
  for (const std::string& column : columns_of(result)) {
    header.push_back(column);
    const CellResult* const cell =
        find_cell(result, rows_of(result).front(), column);
    datasets.push_back(cell == nullptr ? "" : cell->dataset);
  }
  ReportTable table(header);
  for (const std::string& row : rows_of(result)) {
    std::vector<std::string> line = {row == kOurSettings ? row
                                                         : row + ", ours"};
    for (const std::string& column : columns_of(result)) {
      line.push_back(cell_text(find_cell(result, row, column), result.unit));
    }
    table.add(std::move(line));
  }
  for (const std::string& system : published_systems(paper_table)) {
    if (system == kMeasured) continue;
    std::vector<std::string> line = {system};
    for (const std::string& dataset : datasets) {
      line.push_back(published_text(
          published_value(paper_table, system, dataset), result.unit));
    }
    table.add(std::move(line));
  }
  return table;
}

}  // namespace ordered_gnn::lab
