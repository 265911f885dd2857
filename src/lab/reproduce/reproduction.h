#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lab/reproduce/plan.h"
#include "lab/reproduce/result.h"
#include "lab/runs/output_folder.h"
#include "lab/runs/run_batch.h"

namespace ordered_gnn::lab {

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
    const ExperimentPlan& plan, const std::filesystem::path& folder,
    const BatchOptions& batch);

/// A folder of repeated experiments: `reproduce.json` marks it, `runs.jsonl`
/// has every finished run of all of them, and there is a folder for each with
/// `results.json`, `table.md`, `table.csv` and plots. Locked while the object
/// lives. Killed at any time it goes on where it was: what is in the log is not
/// run again, and the tables follow from the log.
class Reproduction {
 public:
  /// @throws Error when the folder holds something else or is in use.
  Reproduction(std::filesystem::path folder, BatchOptions batch,
               ReproductionHooks hooks = ReproductionHooks());

  /// Runs what is missing and writes the experiment's files. Without anything
  /// missing it needs no device.
  /// @throws Error when nothing can be written, and as run_batch() does. Data
  ///         that is not there and runs that fail are part of the result.
  ExperimentResult run(const ExperimentPlan& plan);

  const RunLog& log() const { return log_; }

 private:
  OutputFolder folder_;
  BatchOptions batch_;
  ReproductionHooks hooks_;
  RunLog log_;
  DatasetCache datasets_;
};

}  // namespace ordered_gnn::lab
