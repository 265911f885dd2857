#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lab/runs/output_folder.h"
#include "lab/runs/split_worker.h"
#include "lab/runs/stop_request.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn::lab {

/// Runs of one model on several splits of one dataset.
struct RunSummary {
  RunOptions options;
  std::string dataset;
  std::string fingerprint;
  std::string command;
  std::vector<RunResult> runs;  ///< in the order of the splits

  double test_mean = 0;  ///< NaN when the splits have no test part
  double test_std = 0;   ///< sample deviation; 0 for one run
  double test_se = 0;    ///< standard error of the mean; NaN for one run
  double val_mean = 0;
};

/// Functions are called on the thread that trains the split, never two at a
/// time.
struct SplitsHooks {
  std::filesystem::path folder;  ///< empty: nothing is written
  ExistingOutput existing = ExistingOutput::refuse;
  std::string command;          ///< recorded in the result files
  StopRequest* stop = nullptr;  ///< ends all splits; null: nothing does
  /// Called with what a person should know: that files were left in a folder
  /// that is overwritten, and what TrainHooks::on_note says.
  std::function<void(const std::string&)> on_note;
  std::function<void(const EpochReport&)> on_epoch;
  /// Trains a split elsewhere than on the data, which is then what is scored
  /// and told of it; null: on the data.
  TrainSplit train;
  /// Called when a split is done; `done` counts it.
  std::function<void(const RunResult&, int64_t done, int64_t total)> on_split;
};

/// Loads the dataset that the options name and writes the treatment that was
/// chosen for "auto" settings back into them, so that a checkpoint says how its
/// data was treated.
NodeDataset load_for_training(RunOptions& options);

/// Who decided which way the edges of a graph are read.
enum class DirectionBy {
  choice,   ///< the options
  file,     ///< the file, which gives each undirected edge once
  dataset,  ///< what is recommended for the dataset
  nobody,   ///< the default
};

/// load_for_training() for whom wants to say how the graph was read.
NodeDataset load_for_training(RunOptions& options, DirectionBy& decided);

/// How many splits run_splits() trains at a time, 0 when there are none.
/// @throws UsageError for a list of splits that does not fit the data.
int64_t runs_at_a_time(const NodeDataset& data, const RunOptions& options);

/// Trains on every split in `options.splits`. With a folder, writes
/// `run.json`, one folder `split-K` per split and `summary.json`.
/// All splits are checked before the first one trains; validate() has seen the
/// options.
///
/// `options.execution.workers` splits train at a time on the one copy of the
/// data and share the cores; a single worker trains one after the other on all
/// threads. Either way gives the same results and checkpoints, but for the
/// times and the memory, which are those of the whole process.
///
/// @throws what train_split() throws for the first split that fails, after the
///         splits that were running have ended. What is done stays in the
///         folder, to go on from with ExistingOutput::resume. Interrupted when
///         `hooks.stop` was made, after every split under way has saved its
///         state. Error, before anything is written, when even the least memory
///         of the splits that train at a time is not left.
RunSummary run_splits(const NodeDataset& data, const RunOptions& options,
                      const SplitsHooks& hooks = {});

Json to_json(const RunSummary& summary);

}  // namespace ordered_gnn::lab
