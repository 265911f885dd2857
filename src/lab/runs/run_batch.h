#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lab/runs/dataset_cache.h"
#include "lab/runs/run_log.h"
#include "lab/runs/stop_request.h"
#include "ordered_gnn/train/train.h"
#include "train/lost_device.h"

namespace ordered_gnn::lab {

/// One run to do. Of its options, `splits` is ignored, and device, math,
/// threads and workers are those of the batch.
struct PlannedRun {
  RunOptions options;
  int64_t split = 0;
  /// Folder of this run alone, for its checkpoint and metrics, in which it goes
  /// on when it was cut. Empty: nothing is kept but the record.
  std::filesystem::path folder;
};

/// How a batch is executed.
struct BatchOptions {
  ExecutionOptions execution;   ///< threads are those of a single worker
  bool retry_failed = false;    ///< repeat what the log has as failed
  std::string command;          ///< recorded with every run
  StopRequest* stop = nullptr;  ///< ends the batch; null: nothing does
  /// Why the device can do no more; asked when a run has failed.
  std::function<std::string(const ExecutionOptions&)> lost_device =
      training::why_device_is_lost;
};

/// @throws UsageError when the options do not fit each other or this machine.
void validate(const BatchOptions& options);

/// How far a batch is.
struct BatchProgress {
  int64_t total = 0;    ///< distinct runs that were planned
  int64_t done = 0;     ///< ended in this call, failed ones among them
  int64_t skipped = 0;  ///< were in the log
  int64_t failed = 0;   ///< in this call
  double seconds = 0;   ///< since the first run began
  double seconds_left = 0;
  double training_seconds = 0;  ///< of the workers together
};

/// What a hook throws to end a batch early: runs that are under way are given
/// up, what is in the log stays.
struct BatchStopped {};

/// Never two are called at a time.
struct BatchHooks {
  /// Called on the thread of the run. May throw BatchStopped.
  std::function<void(const EpochReport&, const PlannedRun&)> on_epoch;
  /// Called when the record of a run is on the disk, on a thread of its own:
  /// the next run may have begun. Not for skipped runs.
  std::function<void(const LoggedRun&, const BatchProgress&)> on_run;
};

/// Runs what the log does not have, `workers` at a time: several workers have
/// one kernel thread each, a single one has them all; results do not depend on
/// it. Runs with the same key are done once.
///
/// A run that ends in an Error (it diverged, its options do not fit each other,
/// there is no memory for it) or c10::Error is recorded as failed, and the
/// others go on. Other exceptions, those of hooks among them, stop the batch.
/// So does a device that is lost: neither the run that saw it first nor those
/// that fail beside it are recorded, since a setting is not to blame for it.
///
/// @return  one record per planned run, in order.
/// @throws BatchStopped when a hook does. Interrupted when `options.stop` was
///         made: what is in the log stays, and runs that have a folder have
///         saved their state. Error before the first run when data cannot be
///         loaded, a split does not exist or cannot be trained on, or the batch
///         options do not fit this machine, of which the device matters only
///         when there is something to run; later when a record cannot be
///         written.
std::vector<LoggedRun> run_batch(const std::vector<PlannedRun>& planned,
                                 RunLog& log, DatasetCache& datasets,
                                 const BatchOptions& options,
                                 const BatchHooks& hooks = {});

/// The key under which run_batch() logs a run.
/// @throws Error when its data cannot be loaded.
std::string run_key(const PlannedRun& run, const BatchOptions& batch,
                    DatasetCache& datasets);

}  // namespace ordered_gnn::lab
