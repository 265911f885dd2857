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

/// run_cells() for experiments that ask the trained models. These are kept in
/// the experiment's folder, and their runs have a log of their own there: the
/// common one may have a run without its model.
/// @return  what run_cells() calls `models`.
std::filesystem::path run_kept_cells(const ExperimentPlan& plan,
                                     const RunContext& context,
                                     ExperimentResult& result);

/// Makes a cell failed whose kept models cannot be asked: says how to train
/// them again.
void mark_models_unable(const ExperimentPlan& plan, const RunContext& context,
                        const std::string& error, CellResult& cell);

/// What run_kept_cells() would do.
std::vector<CellForecast> forecast_kept_cells(
    const ExperimentPlan& plan, const std::filesystem::path& folder,
    const BatchOptions& batch);

/// What run_cells() would do with the log in `folder`.
std::vector<CellForecast> forecast_cells(const ExperimentPlan& plan,
                                         const std::filesystem::path& folder,
                                         const BatchOptions& batch);

/// The labels of a cell, of which nothing is known yet.
CellForecast empty_forecast(const PlannedCell& cell);

}  // namespace ordered_gnn::lab
