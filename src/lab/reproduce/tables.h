#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lab/report/table.h"
#include "lab/reproduce/report.h"

namespace ordered_gnn::lab {

/// "82.70 ± 5.73", without a deviation for one run; "12.4" for times.
std::string value_text(const Statistics& values, const std::string& unit);
std::string value_text(const PublishedValue& value, const std::string& unit);

/// "+0.51", "-2.03".
std::string signed_text(double value, int digits);

/// Ours, or the status of a cell that has no number; empty without a cell.
std::string cell_text(const CellResult* cell, const std::string& unit);

/// Empty where nothing was published.
std::string published_text(const std::optional<PublishedValue>& value,
                           const std::string& unit);

/// "82.70 ± 5.73 (83.51)": ours or why there is none, the paper's in brackets;
/// empty without a cell.
std::string ours_and_paper(const CellResult* cell, const std::string& unit);

/// What rows and columns of an experiment are called.
std::string row_heading(const ExperimentResult& result);
std::string column_heading(const ExperimentResult& result);

/// What there is to say about ours and the paper's; empty when a side is not
/// there.
std::string verdict_text(const ExperimentResult& result,
                         const CellResult& cell);

/// One line per cell: ours, runs, the paper's, their difference and what it
/// means.
ReportTable comparison_table(const ExperimentResult& result);

/// Rows by columns of what `text` says of a cell, or of null for none.
ReportTable table_of_cells(
    const ExperimentResult& result,
    const std::function<std::string(const CellResult* cell)>& text);

/// Rows by columns, "ours (paper)".
ReportTable overview_table(const ExperimentResult& result);

/// Ours beside the independent run; without rows where there is none.
ReportTable measured_table(const ExperimentResult& result);

/// Our rows above all systems of a table of the paper.
ReportTable systems_table(const ExperimentResult& result,
                          const std::string& paper_table);

/// How a system stands against the best of the others, a line per column.
ReportTable standing_table(const ExperimentResult& result,
                           const std::vector<Standing>& standings);

/// Cells far below the paper's numbers, with the reasons given for them.
ReportTable shortfall_table(const ExperimentResult& result,
                            const ShortfallReasons& reasons);

ReportTable paired_table(const ExperimentResult& result);

}  // namespace ordered_gnn::lab
