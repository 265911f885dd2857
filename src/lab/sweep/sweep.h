#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/runs/output_folder.h"
#include "lab/runs/run_batch.h"
#include "lab/runs/statistics.h"
#include "lab/sweep/spec.h"

namespace ordered_gnn::lab {

/// A setting and what its runs gave.
struct TrialResult {
  int64_t number = 0;
  Setting setting;
  int64_t rung = 0;     ///< the last one it was run in; 0 but for halving
  int64_t planned = 0;  ///< runs of that rung
  int64_t runs = 0;     ///< of them, those with a result
  int64_t failed = 0;
  Metric metric = Metric::accuracy;
  /// select() of the validation scores of those with a result: more is better.
  /// Over splits, see describe_runs().
  Statistics val;
  double seconds = 0;  ///< of its runs together
  std::string error;   ///< of the first run that failed

  bool complete() const { return runs + failed == planned; }
  /// The mean of `val` over all splits and seeds; NaN unless every run has
  /// ended well. Test scores have no part in it.
  double objective() const;
  /// The objective as tables show it, see score_text().
  std::string score() const;
};

/// Of them, those with a failed run: they have no objective, whatever the
/// reason.
int64_t num_failed(const std::vector<TrialResult>& trials);

/// How far a sweep is. Runs of all rungs are counted, those that were in the
/// log too.
struct SweepProgress {
  int64_t trials = 0;
  int64_t rung = 0;
  int64_t rungs = 1;
  int64_t runs_total = 0;  ///< for halving, if no trial fails
  int64_t runs_done = 0;
  int64_t runs_failed = 0;
  double seconds = 0;
  double seconds_left = 0;
  double training_share = 0;  ///< of the workers' time since the sweep began
  std::optional<TrialResult> best;  ///< so far
};

/// Never two are called at a time, nor on any particular thread.
struct SweepHooks {
  /// Called before the first run for what was assumed about the data.
  std::function<void(const std::string&)> on_note;
  /// Called before the first run for every line of the log that is left out.
  std::function<void(const std::string&)> on_broken_line;
  std::function<void(const SweepProgress&)> on_progress;
  /// An epoch of some run; throws BatchStopped to end the search with what has
  /// been tried so far.
  std::function<void(const EpochReport&)> on_epoch;
};

/// What a sweep found.
struct SweepResult {
  std::vector<TrialResult> trials;  ///< by number
  std::optional<size_t> best;       ///< in `trials`; none when all failed
  bool stopped = false;             ///< by a hook, before all was tried
  /// Test score of the best trial, which had no part in choosing it; NaN
  /// without a test part.
  double best_test_mean = 0;
  RunOptions best_options;
  std::string dataset;
  int64_t runs = 0;     ///< ended in this call
  int64_t skipped = 0;  ///< were in the log
  int64_t failed = 0;   ///< of all
  double seconds = 0;
  double training_share = 0;
  std::vector<std::string> broken;  ///< lines of the log that were left out
};

/// Searches for the setting with the best mean validation score.
///
/// The folder gets `sweep.json` (what is searched; marks the folder),
/// `runs.jsonl` (see RunLog), and, rewritten as trials end, `best.json` (a
/// recipe), `trials.csv`, `trials.md`, `trials.tex` and `parallel.json`. A
/// sweep that was stopped goes on when it is started again: runs in the log are
/// not repeated, and all files but for the times are as if it had never
/// stopped. More `trials` than before extend it.
///
/// Successive halving runs all trials with a budget of `min_budget` splits (all
/// where there are fewer) or epochs, and the best ceil(n / eta) of n trials of
/// a rung (trials with a failed run excepted, ties broken by number) with `eta`
/// times the budget in the next, until the budget is all chosen splits or all
/// epochs. The winner is one of the last rung.
///
/// Device, math, threads and workers of `spec.base` are ignored in favour of
/// those of the batch.
///
/// @throws Error when the folder is not ours, is in use or holds another sweep
///         (naming what differs), and as run_batch() does.
SweepResult run_sweep(const SweepSpec& spec,
                      const std::filesystem::path& folder,
                      const BatchOptions& batch, const SweepHooks& hooks = {});

/// The same with data that was loaded before, or will be used later.
SweepResult run_sweep(const SweepSpec& spec,
                      const std::filesystem::path& folder,
                      const BatchOptions& batch, DatasetCache& datasets,
                      const SweepHooks& hooks);

/// What marks the folder of a sweep.
FolderKind sweep_folder_kind();

/// The trials, best first: by rung, objective and number; those without an
/// objective last.
std::vector<TrialResult> ranked(std::vector<TrialResult> trials);

}  // namespace ordered_gnn::lab
