#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/metrics.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn {

/// What one epoch did; handed to the progress callback.
struct EpochReport {
  int64_t split = 0;
  int64_t epoch = 0;  ///< from 1
  int64_t epochs = 0;
  double loss = 0;
  double lr = 0;
  Scores train, val, test;
  int64_t best_epoch = 0;
  double best_score = 0;  ///< validation
  double seconds = 0;     ///< since the run began, resumed parts included
  /// Longest the run can still take: until the epochs or the patience end.
  double seconds_left = 0;
};

/// Scores of the three parts of a split.
struct SplitScores {
  Scores train, val, test;
};

/// Outcome of training on one split. Scores are those of the first epoch with
/// the best validation score, corrected and smoothed when that was asked for.
struct RunResult {
  int64_t split = 0;
  int64_t seed = 0;
  int64_t epochs = 0;
  int64_t best_epoch = 0;
  Scores train, val, test;
  /// Of the model itself, when its predictions were corrected and smoothed.
  std::optional<SplitScores> before_correct_smooth;
  double seconds = 0;
  int64_t peak_bytes = 0;  ///< of the process
  int64_t num_parameters = 0;
  std::string checkpoint;  ///< empty when nothing was written
};

Json to_json(const RunResult& result);
/// @throws Json::exception when a key is missing.
RunResult run_result_from_json(const Json& json);

/// Where a run writes and whom it tells.
struct TrainHooks {
  /// Folder for `model.safetensors`, `metrics.jsonl`, `result.json` and, while
  /// the run lasts, `state.safetensors`. Empty: nothing is written.
  std::filesystem::path folder;
  /// Goes on from the folder's training state; a finished run is returned as
  /// it is, a folder without state starts anew.
  bool resume = false;
  std::function<void(const EpochReport&)> on_epoch;
  /// The same data on the device of the run, so that runs can share it; null:
  /// the run makes its own copy when it needs one. Must outlive the run.
  const NodeDataset* placed = nullptr;
};

/// Trains one model on one split: cross-entropy on labelled training nodes,
/// Adam with an L2 group each for theta and xi, one evaluation pass per epoch,
/// stop after `patience` epochs without a strictly better validation score.
///
/// The same options give the same bits on every run, for any number of threads,
/// and whether or not the run was killed and resumed in between.
///
/// @throws Error when the split cannot be trained on, the loss stops being a
///         number, or a file cannot be written.
RunResult train_split(const NodeDataset& data, int64_t split,
                      const RunOptions& options, const TrainHooks& hooks = {});

}  // namespace ordered_gnn
