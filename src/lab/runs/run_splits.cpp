#include "lab/runs/run_splits.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include "core/io/file.h"
#include "lab/runs/statistics.h"
#include "lab/runs/worker_pool.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/splits.h"
#include "ordered_gnn/version.h"
#include "train/train_validated.h"
#include "train/training_memory.h"

namespace ordered_gnn::lab {
namespace {

void fill_statistics(RunSummary& summary) {
  std::vector<double> test, val;
  for (const RunResult& run : summary.runs) {
    test.push_back(value_of(run.test, summary.options.train.metric));
    val.push_back(value_of(run.val, summary.options.train.metric));
  }
  const Statistics of_test = describe(test);
  summary.test_mean = of_test.mean;
  summary.test_std = of_test.deviation;
  summary.test_se = of_test.standard_error;
  summary.val_mean = describe(val).mean;
}

std::vector<int64_t> checked_splits(const NodeDataset& data,
                                    const RunOptions& options) {
  const std::vector<int64_t> splits = parse_split_list(
      options.splits, static_cast<int64_t>(data.splits.size()));
  for (const int64_t split : splits) training::require_split(data, split);
  return splits;
}

// The splits of one call, some done and some under way, each at its position
// whatever the order they end in. The lock keeps hooks and the summary to one
// worker at a time.
class SplitRuns {
 public:
  SplitRuns(const NodeDataset& data, const RunOptions& options,
            const SplitsHooks& hooks)
      : data_(data),
        options_(options),
        hooks_(hooks),
        splits_(checked_splits(data, options)),
        results_(splits_.size()) {
    if (!hooks.folder.empty()) {
      folder_ = std::make_unique<OutputFolder>(
          hooks.folder, hooks.existing,
          run_identity(options, data.provenance.fingerprint),
          Json{{"command", hooks.command}, {"config", to_json(options)}});
      tell_what_is_left();
    }
    summary_.options = options;
    summary_.dataset = data.name;
    summary_.fingerprint = data.provenance.fingerprint;
    summary_.command = hooks.command;
  }

  RunSummary run() {
    // What is computed elsewhere needs no copy.
    if (!hooks_.train) placed_ = place_shared(data_, options_);
    run_on_workers(num_workers(options_.execution),
                   static_cast<int64_t>(splits_.size()),
                   [this](int64_t position) { train(position); });
    return std::move(summary_);
  }

 private:
  void tell_what_is_left() const {
    const std::vector<std::string>& left = folder_->left();
    if (left.empty() || !hooks_.on_note) return;
    hooks_.on_note(
        fmt::format("left in {} what is not of the run that was there: {}",
                    hooks_.folder.string(), fmt::join(left, ", ")));
  }

  void train(int64_t position) {
    const int64_t split = splits_[position];
    TrainHooks hooks;
    if (folder_) {
      hooks.folder = folder_->path() / fmt::format("split-{}", split);
    }
    hooks.placed = placed_.get();
    hooks.resume = hooks_.existing == ExistingOutput::resume;
    hooks.on_epoch = [this](const EpochReport& report) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (hooks_.on_epoch) hooks_.on_epoch(report);
    };
    hooks.on_note = [this](const std::string& note) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (hooks_.on_note) hooks_.on_note(note);
    };
    add_result(position,
               train_as_worker(data_, split, options_, std::move(hooks),
                               hooks_.stop, hooks_.train));
  }

  void add_result(int64_t position, const RunResult& result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    results_[position] = result;
    summary_.runs.clear();
    for (const std::optional<RunResult>& run : results_) {
      if (run) summary_.runs.push_back(*run);
    }
    fill_statistics(summary_);
    if (folder_) {
      core::write_file(folder_->path() / "summary.json",
                       to_json(summary_).dump(2) + "\n");
    }
    if (hooks_.on_split) {
      hooks_.on_split(result, static_cast<int64_t>(summary_.runs.size()),
                      static_cast<int64_t>(splits_.size()));
    }
  }

  const NodeDataset& data_;
  const RunOptions& options_;
  const SplitsHooks& hooks_;
  const std::vector<int64_t> splits_;
  std::unique_ptr<OutputFolder> folder_;
  /// Null where the data is used as it is.
  std::unique_ptr<NodeDataset> placed_;
  std::mutex mutex_;
  std::vector<std::optional<RunResult>> results_;
  RunSummary summary_;
};

}  // namespace

NodeDataset load_for_training(RunOptions& options) {
  validate(options);
  return load_with_treatment(options);
}

NodeDataset load_for_training(RunOptions& options, DirectionBy& decided) {
  validate(options);
  return load_with_treatment(options, [&](const RawDataset& raw) {
    decided = options.data.treatment.direction ? DirectionBy::choice
              : raw.recommended                ? DirectionBy::dataset
                                               : DirectionBy::nobody;
    // Such a file is read both ways whoever says what.
    if (raw.edges_are_undirected) decided = DirectionBy::file;
  });
}

int64_t runs_at_a_time(const NodeDataset& data, const RunOptions& options) {
  const std::vector<int64_t> splits = parse_split_list(
      options.splits, static_cast<int64_t>(data.splits.size()));
  return std::min(num_workers(options.execution),
                  static_cast<int64_t>(splits.size()));
}

RunSummary run_splits(const NodeDataset& data, const RunOptions& options,
                      const SplitsHooks& hooks) {
  validate(options);
  const ThreadScope threads(options.execution.threads);
  const MemoryScope memory(max_memory_of(options.execution));
  // Before a folder is made.
  if (!hooks.train) {
    training::require_training_memory(options, data,
                                      runs_at_a_time(data, options));
  }
  return SplitRuns(data, options, hooks).run();
}

Json to_json(const RunSummary& summary) {
  Json runs = Json::array();
  for (const RunResult& run : summary.runs) runs.push_back(to_json(run));
  const bool tested = !std::isnan(summary.test_mean);
  const auto number = [](double value) {
    return std::isnan(value) ? Json() : Json(value);
  };
  return {{"dataset", summary.dataset},
          {"model", summary.options.model},
          {"device", to_string(summary.options.execution.device)},
          {"metric", to_string(summary.options.train.metric)},
          {"runs", runs},
          {"test_mean", number(summary.test_mean)},
          {"test_std", number(tested ? summary.test_std : summary.test_mean)},
          {"test_se", number(summary.test_se)},
          {"val_mean", number(summary.val_mean)},
          {"seed", summary.options.train.seed},
          {"fingerprint", summary.fingerprint},
          {"command", summary.command},
          {"config", to_json(summary.options)},
          {"version", kVersion},
          {"commit", kCommit}};
}

}  // namespace ordered_gnn::lab
