#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/report/table.h"
#include "lab/sweep/sweep.h"

namespace ordered_gnn::lab {

/// What the files of a sweep are made from.
struct SweepReport {
  std::filesystem::path folder;
  const SweepSpec* spec = nullptr;
  const std::vector<TrialResult>* trials = nullptr;
  std::string dataset;
  std::optional<TrialResult> best;
  RunOptions best_options;
};

/// Writes trials.csv, trials.md, trials.tex, parallel.json and, when there is a
/// best trial, best.json; each appears as a whole.
void write_report(const SweepReport& report);

/// The best setting as a recipe, with comments on where it comes from.
Json best_recipe(const SweepReport& report);

/// One line per trial: trial, the searched options, val_mean, val_se, runs,
/// failed, seconds, rung. Means of trials without an objective are empty.
std::string trials_csv(const SweepReport& report);

/// The trials, best first.
ReportTable ranked_table(const SweepReport& report);

/// For plots with one axis per option: `dimensions` (name, scale "linear",
/// "log" or "category", values), `lines` (trial, values in that order,
/// objective or null, rung), and whether objectives are `percent`; the larger
/// is the better.
Json parallel_coordinates(const SweepReport& report);

}  // namespace ordered_gnn::lab
