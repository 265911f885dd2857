#pragma once
#include <string>
#include <vector>

#include "lab/report/table.h"
#include "lab/reproduce/result.h"

namespace ordered_gnn::lab {

// What reports of experiments are put together from: tables as Markdown, with a
// line above that says what they show.

/// A table with a line about it; nothing without rows.
std::string captioned(const std::string& caption, const ReportTable& table);

/// Ours beside the paper's: with several rows an overview, then a line per
/// cell.
std::string compared_markdown(const ExperimentResult& result);

/// What scores are: "Test accuracy", and where columns have other metrics
/// "Test accuracy (minesweeper: roc_auc)".
std::string scores_text(const ExperimentResult& result);

/// Rows by columns.
std::string overview_markdown(const ExperimentResult& result);
std::vector<ReportTable> overview_alone(const ExperimentResult& result);

/// A table for every row that is judged, the sentence that sums it up above;
/// nothing for fewer than three rows and for quick results.
std::string standings_markdown(const ExperimentResult& result);

/// Rows compared run by run, and ours beside the independent run.
std::string pairs_markdown(const ExperimentResult& result);

/// Compared with the paper, then run by run.
std::string numbers_markdown(const ExperimentResult& result);

/// The same with standings in between.
std::string ranked_markdown(const ExperimentResult& result);

/// The experiment's comparison with the paper.
std::vector<ReportTable> comparison_alone(const ExperimentResult& result);

}  // namespace ordered_gnn::lab
