#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/runs/run_splits.h"
#include "lab/sweep/sweep.h"

namespace ordered_gnn::lab {

/// What to tune, and for how long.
struct TuneOptions {
  /// Names of systems, see named_system.h. One that does not see the graph is
  /// among them, so that its share can be told; the fastest comes first.
  std::vector<std::string> models = {"mlp", "gcn", "ordered_gnn"};
  /// Options of every run, by name, that win over starts and search spaces:
  /// `data` at least. What is named here is not searched.
  Json values = Json::object();
  std::string splits = "0";
  /// Time of this call, training the best model at the end included.
  double minutes = 10;
  /// Settings of all models together, those of earlier calls included; 0: as
  /// many as the time allows.
  int64_t trials = 60;
};

/// A model and the best setting that was found for it.
struct TunedModel {
  std::string model;  ///< the name of the system
  std::string start;  ///< recipe it started from; empty: tune/MODEL or defaults
  int64_t trials = 0;  ///< settings that were run on all splits, in all calls
  double seconds = 0;  ///< of its runs together
  std::optional<TrialResult> best;
  RunOptions options;  ///< of the best
  double test = 0;     ///< of the best, not used for choosing; see SweepResult
  std::string error;   ///< why there is no best
};

/// How far a search is.
struct TuneProgress {
  std::string model;   ///< that is tried now
  int64_t trials = 0;  ///< complete ones of all models
  double seconds = 0;
  double seconds_left = 0;           ///< of the search
  const TunedModel* best = nullptr;  ///< so far; null: no trial is complete
};

/// Never two are called at a time, nor on any particular thread.
struct TuneHooks {
  /// Seconds since some moment; null: those of the steady clock.
  std::function<double()> clock;
  /// What was assumed about the data.
  std::function<void(const std::string&)> on_note;
  std::function<void(const std::string&)> on_broken_line;
  std::function<void(const TuneProgress&)> on_progress;
  /// Of the training at the end.
  std::function<void(const EpochReport&)> on_epoch;
};

/// What was found.
struct TuneResult {
  std::string dataset;
  Metric metric = Metric::accuracy;
  std::vector<TunedModel> models;  ///< as they were asked for
  size_t best = 0;                 ///< in `models`
  RunSummary summary;              ///< of the model that was trained at the end
  std::filesystem::path folder;    ///< its folder
  double seconds = 0;
};

/// Searches for the model and the setting with the best mean validation score,
/// for some minutes, and trains it.
///
/// Every model starts from the recipe for it and the dataset, else from the
/// built-in tune/MODEL, and tries further settings of its search space
/// (search/tune/MODEL, else search/systems) in turns with the others, each time
/// one more sweep trial: hand-picked ones first, then some drawn around them.
/// After a few turns the model that is ahead gets most of them. Test scores
/// have no part in choosing. A run that the
/// end of the time cuts is lost, but as long as no trial at all is complete the
/// search goes on.
///
/// The folder gets `tune.json` (marks it), `search/MODEL/` (a sweep each) and
/// `best/`, laid out as a run of run_splits(). Stopped at any time and called
/// again it goes on: what was tried is not tried again, and `minutes` are those
/// of the new call. `minutes` of 0 train the best of what is there.
///
/// @throws UsageError for models that do not exist or are given twice, and
///         options that do not fit; Error when the folder is not ours, is in
///         use or holds a search on other data or with other options, when no
///         trial ended well, and as run_sweep() does.
TuneResult run_tune(const TuneOptions& options,
                    const std::filesystem::path& folder,
                    const BatchOptions& batch, const TuneHooks& hooks = {});

/// A table of the models, best first, and what it says about the graph.
std::string tune_text(const TuneResult& result);

Json to_json(const TuneResult& result);

}  // namespace ordered_gnn::lab
