#pragma once
#include <filesystem>
#include <vector>

#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {

/// Most experiments: trains all runs of all cells into the common log.
ExperimentRuns cell_runs();

/// Trains what the context's log lacks and fills in the cells.
/// @param models  keeps the trained models there; empty: nowhere.
void run_cells(const ExperimentPlan& plan, const RunContext& context,
               const std::filesystem::path& models, ExperimentResult& result);

/// What run_cells() would do with the log in `folder`.
std::vector<CellForecast> forecast_cells(const ExperimentPlan& plan,
                                         const std::filesystem::path& folder,
                                         const BatchOptions& batch);

/// The labels of a cell, of which nothing is known yet.
CellForecast empty_forecast(const PlannedCell& cell);

}  // namespace ordered_gnn::lab
