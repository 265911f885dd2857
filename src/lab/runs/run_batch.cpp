#include "lab/runs/run_batch.h"

#include <c10/util/Exception.h>

#include <chrono>
#include <mutex>
#include <unordered_set>

#include "lab/runs/record_writer.h"
#include "lab/runs/split_worker.h"
#include "lab/runs/worker_pool.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/version.h"
#include "train/train_validated.h"
#include "train/training_memory.h"

namespace ordered_gnn::lab {
namespace {

using BatchClock = std::chrono::steady_clock;

double seconds_from(BatchClock::time_point start) {
  return std::chrono::duration<double>(BatchClock::now() - start).count();
}

// A planned run with all that is found out about it before it starts.
struct Job {
  const PlannedRun* run = nullptr;
  RunOptions options;
  const NodeDataset* data = nullptr;
  const NodeDataset* placed = nullptr;
  std::string key;
  std::string refusal;  // empty: it may be run
};

RunOptions execution_of(const BatchOptions& batch) {
  RunOptions options;
  options.execution = batch.execution;
  return options;
}

// What is run and logged: the batch decides how, and the split is a text.
RunOptions run_options_of(const PlannedRun& run, const BatchOptions& batch) {
  RunOptions options = run.options;
  options.splits = std::to_string(run.split);
  options.execution = batch.execution;
  options.execution.workers = 1;
  return options;
}

// Why there is no memory for the run by itself. Options that cannot be right
// are left to the run, which says what is wrong with them.
std::string refusal_of(const Job& job) {
  try {
    validate_values(job.options);
  } catch (const UsageError&) {
    return "";
  }
  return training::why_no_memory(job.options, *job.data, /*runs=*/1);
}

class Batch {
 public:
  Batch(RunLog& log, DatasetCache& datasets, const BatchOptions& options,
        const BatchHooks& hooks)
      : log_(log),
        datasets_(datasets),
        options_(options),
        hooks_(hooks),
        workers_(num_workers(options.execution)) {}

  std::vector<LoggedRun> run(const std::vector<PlannedRun>& planned) {
    std::vector<Job> jobs;
    for (const PlannedRun& run : planned) jobs.push_back(prepare(run));
    std::vector<Job*> pending = pending_among(jobs);
    // What is in the log needs no device.
    if (!pending.empty()) validate(options_);
    for (Job* job : pending) {
      // Before any of them runs: later the others' memory would be counted.
      job->refusal = refusal_of(*job);
      job->placed = datasets_.placed(*job->data, job->options);
    }
    start_ = BatchClock::now();
    RecordWriter writer(log_,
                        [this](const LoggedRun& record) { tell(record); });
    run_on_workers(workers_, static_cast<int64_t>(pending.size()),
                   [&](int64_t index) {
                     writer.put(finished(*pending[static_cast<size_t>(index)]));
                   });
    writer.finish();
    std::vector<LoggedRun> records;
    for (const Job& job : jobs) records.push_back(*log_.find(job.key));
    return records;
  }

 private:
  Job prepare(const PlannedRun& run) {
    Job job;
    job.run = &run;
    job.options = run_options_of(run, options_);
    job.data = &datasets_.get(job.options);
    training::require_split(*job.data, run.split);
    job.key = run_key(job.options, run.split, job.data->provenance.fingerprint);
    return job;
  }

  std::vector<Job*> pending_among(std::vector<Job>& jobs) {
    std::vector<Job*> pending;
    std::unordered_set<std::string> seen;
    for (Job& job : jobs) {
      if (!seen.insert(job.key).second) continue;
      ++progress_.total;
      const LoggedRun* const before = log_.find(job.key);
      const bool again =
          before != nullptr && !before->result && options_.retry_failed;
      if (before == nullptr || again) {
        pending.push_back(&job);
      } else {
        ++progress_.skipped;
      }
    }
    return pending;
  }

  LoggedRun finished(const Job& job) {
    LoggedRun record;
    record.key = job.key;
    record.options = job.options;
    record.split = job.run->split;
    record.fingerprint = job.data->provenance.fingerprint;
    record.command = options_.command;
    record.version = kVersion;
    record.commit = kCommit;
    const BatchClock::time_point start = BatchClock::now();
    train(job, record);
    record.seconds = seconds_from(start);
    record.finished = utc_now();
    return record;
  }

  // Fills in the result, or why there is none.
  void train(const Job& job, LoggedRun& record) {
    record.error = job.refusal;
    if (!record.error.empty()) return;
    TrainHooks hooks;
    hooks.folder = job.run->folder;
    hooks.resume = !job.run->folder.empty();
    hooks.placed = job.placed;
    if (hooks_.on_epoch) {
      hooks.on_epoch = [&](const EpochReport& report) {
        const std::lock_guard<std::mutex> lock(mutex_);
        hooks_.on_epoch(report, *job.run);
      };
    }
    RunOptions options = job.options;
    options.execution.workers = workers_;
    try {
      validate(job.options);
      record.result =
          train_as_worker(*job.data, job.run->split, std::move(options),
                          std::move(hooks), options_.stop);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      record.error = error.what();
    } catch (const c10::Error& error) {
      record.error = error.what_without_backtrace();
    }
    if (!record.result) require_device(record);
  }

  void require_device(const LoggedRun& record) const {
    const std::string lost = options_.lost_device(options_.execution);
    if (lost.empty()) return;
    fail(
        "the GPU does no more work for this program: {}. Split {} of {} and "
        "what failed beside it are not recorded, for it need not be their "
        "fault; the same command goes on with them{}",
        lost, record.split, record.options.data.data,
        workers_ == 1 ? ""
                      : ". When that happens again, '--workers 1' tells "
                        "which run it is");
  }

  void tell(const LoggedRun& record) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++progress_.done;
    progress_.failed += record.result ? 0 : 1;
    progress_.training_seconds += record.seconds;
    progress_.seconds = seconds_from(start_);
    const int64_t left = progress_.total - progress_.skipped - progress_.done;
    progress_.seconds_left = progress_.seconds * static_cast<double>(left) /
                             static_cast<double>(progress_.done);
    if (hooks_.on_run) hooks_.on_run(record, progress_);
  }

  RunLog& log_;
  DatasetCache& datasets_;
  const BatchOptions& options_;
  const BatchHooks& hooks_;
  const int64_t workers_;
  BatchClock::time_point start_;
  std::mutex mutex_;  ///< of the progress and the hooks
  BatchProgress progress_;
};

}  // namespace

void validate(const BatchOptions& options) { validate(execution_of(options)); }

std::string run_key(const PlannedRun& run, const BatchOptions& batch,
                    DatasetCache& datasets) {
  RunOptions options = run_options_of(run, batch);
  const NodeDataset& data = datasets.get(options);
  return run_key(options, run.split, data.provenance.fingerprint);
}

std::vector<LoggedRun> run_batch(const std::vector<PlannedRun>& planned,
                                 RunLog& log, DatasetCache& datasets,
                                 const BatchOptions& options,
                                 const BatchHooks& hooks) {
  validate_values(execution_of(options));
  const ThreadScope threads(options.execution.threads);
  const MemoryScope memory(max_memory_of(options.execution));
  return Batch(log, datasets, options, hooks).run(planned);
}

}  // namespace ordered_gnn::lab
