#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/reproduce/paper.h"
#include "lab/reproduce/result.h"
#include "lab/runs/output_folder.h"
#include "lab/runs/run_batch.h"

namespace ordered_gnn::lab {

/// What of the paper to repeat, and how much of it.
struct ReproductionOptions {
  std::vector<std::string> datasets;  ///< empty: all of the experiment
  /// Empty: 42; 42, 43 and 44 where a dataset has one split, so that there is a
  /// deviation, and for tuned settings.
  std::vector<int64_t> seeds;
  std::string splits;  ///< empty: all
  /// Models to train, by their names in the table of models. One that has
  /// recipes of its own (recipes/systems/MODEL/) takes them, another the
  /// settings of the experiment's recipe. Empty: for table2 every system of the
  /// paper, for systems all it has, else the models of the recipes. `systems`
  /// takes names of folders in recipes/systems too, and always has Ordered GNN.
  std::vector<std::string> models;
  /// First splits, one seed and few epochs: to see that everything works.
  bool quick = false;
  std::string data_root;
  /// Folder laid out as recipes/ to take instead of the built-in recipes;
  /// empty: those.
  std::filesystem::path recipes;
};

/// A number to be: what to train for it and what to put beside it.
struct PlannedCell {
  std::string row, column, recipe;
  RunOptions options;
  std::string splits = "all";
  std::vector<int64_t> seeds;  ///< empty: by the number of splits, see above
  std::optional<PublishedValue> published, measured;
  std::string against;  ///< see CellResult
  std::string unable;   ///< why nothing can be trained for it; mostly empty
};

struct ExperimentPlan {
  std::string name, title;
  std::vector<std::string> notes;
  std::vector<PlannedCell> cells;
};

/// table2, tuned, systems, ablation, depth, depth-tuned, layers64, large,
/// gates, runtime.
std::vector<std::string> experiment_names();

/// The experiments that `name` stands for: itself, or with "all" those that
/// have a recipe for one of the datasets.
/// @throws UsageError for an unknown name, with the nearest one.
std::vector<std::string> resolve_experiments(
    const std::string& name, const ReproductionOptions& options);

/// @throws UsageError for unknown models, seeds or models given twice, and for
///         datasets that no recipe of the experiment uses, naming those that
///         are; Error for a broken recipe.
ExperimentPlan plan_experiment(const std::string& name,
                               const ReproductionOptions& options);

/// Called between runs and epochs, never two at a time.
struct ReproductionHooks {
  std::function<void(const EpochReport&, const std::string& what)> on_epoch;
  std::function<void(const LoggedRun&, const std::string& what,
                     const BatchProgress&)>
      on_run;
  /// What happens outside of runs: loading, timing.
  std::function<void(const std::string&)> on_step;
};

/// What a planned cell comes to on this machine.
struct CellForecast {
  std::string row, column, recipe;
  int64_t runs = 0;
  int64_t done = 0;  ///< of them in the log
  CellStatus status = CellStatus::done;
  std::string reason;  ///< unless it can run
};

/// What Reproduction::run() would do. Loads data and trains nothing; a folder
/// that does not exist stays so.
std::vector<CellForecast> forecast_experiment(
    const std::string& name, const std::filesystem::path& folder,
    const ReproductionOptions& options, const BatchOptions& batch);

/// A folder of repeated experiments: `reproduce.json` marks it, `runs.jsonl`
/// has every finished run of all of them, and there is a folder for each with
/// `results.json`, `table.md`, `table.csv` and plots. Locked while the object
/// lives. Killed at any time it goes on where it was: what is in the log is not
/// run again, and the tables follow from the log.
class Reproduction {
 public:
  /// @throws Error when the folder holds something else or is in use.
  Reproduction(std::filesystem::path folder, ReproductionOptions options,
               BatchOptions batch, ReproductionHooks hooks = {});

  /// Runs what is missing and writes the experiment's files. Without anything
  /// missing it needs no device.
  /// @throws Error when nothing can be written, as run_batch() does, and
  ///         UsageError as plan_experiment() does. Data that is not there and
  ///         runs that fail are part of the result.
  ExperimentResult run(const std::string& name);

  const RunLog& log() const { return log_; }

 private:
  ExperimentResult result_of(const ExperimentPlan& plan) const;
  void run_cells(const ExperimentPlan& plan, RunLog& log,
                 const std::filesystem::path& models, ExperimentResult& result);
  void run_timings(const ExperimentPlan& plan, ExperimentResult& result);
  void run_gates(const ExperimentPlan& plan, ExperimentResult& result);

  OutputFolder folder_;
  ReproductionOptions options_;
  BatchOptions batch_;
  ReproductionHooks hooks_;
  RunLog log_;
  DatasetCache datasets_;
};

}  // namespace ordered_gnn::lab
