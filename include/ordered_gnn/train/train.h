#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn {

/// What one epoch did; handed to the progress callback.
struct EpochReport {
  int64_t split = 0;
  int64_t epoch = 0;  ///< from 1
  int64_t epochs = 0;
  double loss = 0;
  double lr = 0;
  /// See quick_scores(); NaN in epochs that were not evaluated
  /// (is_evaluated()).
  Scores train, val, test;
  int64_t best_epoch = 0;  ///< 0: none has been evaluated
  double best_score = 0;   ///< validation, of the metric; NaN without
  double seconds = 0;      ///< since the run began, resumed parts included
  /// Longest the run can still take: until the epochs or the patience end.
  double seconds_left = 0;
};

/// A run that ended early because TrainHooks::should_stop asked for it.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// Where a run writes and whom it tells.
struct TrainHooks {
  /// Folder for `model.safetensors`, `metrics.jsonl`, `result.json` and, while
  /// the run lasts, `state.safetensors`. Empty: nothing is written.
  std::filesystem::path folder;
  /// Goes on from the folder's training state; a finished run is returned as
  /// it is, a folder without state starts anew.
  bool resume = false;
  std::function<void(const EpochReport&)> on_epoch;
  /// Asked on the thread that trains, before every epoch (on a GPU between
  /// batches of epochs). True: the state is saved in the folder, to go on from
  /// with `resume`, and the run ends with Interrupted. Without a folder nothing
  /// is kept. Not asked of a run whose last epoch is done, which ends as usual.
  std::function<bool()> should_stop;
  /// What a user should know of the files that a run goes on from.
  std::function<void(const std::string&)> on_note;
  /// The same data on the device of the run, so that runs can share it; null:
  /// the run makes its own copy when it needs one. Must outlive the run.
  const NodeDataset* placed = nullptr;
};

/// Trains the model that the options name on one split: cross-entropy on
/// labelled training nodes, weighted by class when asked for, Adam with an L2
/// group each for theta and xi, one evaluation pass per epoch (or every
/// `eval_every`), stop after `patience` epochs without a strictly better
/// validation score. Of `options.data` nothing is read: the data is given, and
/// the result records the treatment it has had.
///
/// The same options give the same bits on every run, for any number of threads,
/// and whether or not the run was stopped or killed and resumed in between.
///
/// @param split  index into data.splits.
/// @return the model of the best epoch, on the CPU, and its scores.
/// @throws UsageError when the options do not fit each other, the model or this
///         machine, or there is no such split.
/// @throws Error when the split cannot be trained on, the loss stops being a
///         number, a file cannot be written, the folder to go on in holds a
///         run on other data or with other settings, or even the least memory
///         that training takes on a CPU is not left (training_bytes(),
///         require_memory()).
/// @throws Interrupted when `hooks.should_stop` says so.
Trained train(const NodeDataset& data, int64_t split, const RunOptions& options,
              const TrainHooks& hooks = {});

/// The same for a model of the caller's own, whose parameters are where it
/// starts from; `options.model` and `options.network` are not read. The result
/// holds that same model. Parameters get their L2 by their names, see
/// NodeModel::role_of().
/// @throws UsageError also when there is no model.
Trained train(const std::shared_ptr<NodeModel>& model, const NodeDataset& data,
              int64_t split, const RunOptions& options,
              const TrainHooks& hooks = {});

/// train() for whom the scores are enough.
RunResult train_split(const NodeDataset& data, int64_t split,
                      const RunOptions& options, const TrainHooks& hooks = {});

}  // namespace ordered_gnn
