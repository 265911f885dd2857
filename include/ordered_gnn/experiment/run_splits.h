#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/experiment/output_folder.h"
#include "ordered_gnn/train/trainer.h"

namespace ordered_gnn {

/// Runs of one model on several splits of one dataset.
struct RunSummary {
  RunOptions options;
  std::string dataset;
  std::string fingerprint;
  std::string command;
  std::vector<RunResult> runs;

  double test_mean = 0;
  double test_std = 0;  ///< sample deviation; 0 for one run
  double val_mean = 0;
};

struct SplitsHooks {
  std::filesystem::path folder;  ///< empty: nothing is written
  ExistingOutput existing = ExistingOutput::refuse;
  std::string command;  ///< recorded in the result files
  std::function<void(const EpochReport&)> on_epoch;
  /// Called when a split is done; `done` counts it.
  std::function<void(const RunResult&, int64_t done, int64_t total)> on_split;
};

/// Loads the dataset that the options name and writes the treatment that was
/// chosen for "auto" settings back into them, so that a checkpoint says how its
/// data was treated.
NodeDataset load_for_training(RunOptions& options);

/// Trains on every split in `options.splits`. With a folder, writes
/// `run.json`, one folder `split-K` per split and `summary.json`.
/// All splits are checked before the first one trains.
RunSummary run_splits(const NodeDataset& data, const RunOptions& options,
                      const SplitsHooks& hooks = {});

Json to_json(const RunSummary& summary);

}  // namespace ordered_gnn
