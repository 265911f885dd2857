#pragma once
#include <string>
#include <vector>

#include "lab/report/plots.h"
#include "lab/reproduce/report.h"

namespace ordered_gnn::lab {

/// A frame with the title of the experiment and more. A quick result says so in
/// a few words at the top, and in full in the description: a title is one line.
PlotFrame frame_of(const ExperimentResult& result,
                   const std::string& more = "");

/// Whether there is such a cell and it has a number.
bool is_done(const CellResult* cell);

/// Ours with two standard errors beside the paper's marks: one plot with bars
/// of the rows beside it, or with many rows one for every column.
std::vector<NamedPlot> paper_plots(const ExperimentResult& result);

}  // namespace ordered_gnn::lab
