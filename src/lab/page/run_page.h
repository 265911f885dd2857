#pragma once
#include <filesystem>
#include <string>

#include "lab/report/page.h"

namespace ordered_gnn::lab {

/// What a folder that a command wrote holds.
enum class RunKind { train, sweep, comparison, reproduction };
std::string to_string(RunKind kind);

/// Told by the files in it: `compare.json`, `sweep.json`, `summary.json`, or
/// `NAME/results.json` of an experiment.
/// @throws Error saying what was looked for when none is there.
RunKind run_kind(const std::filesystem::path& folder);

/// The page of such a folder, with the parts that apply:
///
/// - train: the splits, their curves, and the explanation of the model with the
///   best validation score, where its data can be loaded; else why not
/// - sweep: the trials, best first, as a table and as parallel coordinates, and
///   the best setting
/// - compare: the models, best first, with what is said of their differences
/// - reproduce: the tables and plots of every experiment
///
/// A sweep or comparison that is still running gives a page of what is there.
/// @throws Error naming the file that is missing or cannot be used.
Page run_page(const std::filesystem::path& folder);

}  // namespace ordered_gnn::lab
