#include "lab/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "data/drawn_splits.h"
#include "lab/compare/memory.h"
#include "lab/runs/machine.h"
#include "lab/runs/output_folder.h"
#include "lab/runs/split_worker.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/splits.h"
#include "train/train_validated.h"

namespace ordered_gnn::lab {
namespace {

// A model with the runs that are its row.
struct Contestant {
  ModelPlan plan;
  ComparedModel result;
  std::vector<PlannedRun> runs;
  std::vector<std::string> keys;
};

ComparedRun compared_run(const LoggedRun& record) {
  const Metric metric = record.options.train.metric;
  auto run = row_of_run<ComparedRun>(record);
  run.test = value_of(record.result->test, metric);
  run.validation = value_of(record.result->val, metric);
  return run;
}

class ComparisonRun {
 public:
  ComparisonRun(const ComparisonOptions& options,
                const std::filesystem::path& path, const BatchOptions& batch,
                const ComparisonHooks& hooks)
      : options_(options), batch_(batch), hooks_(hooks) {
    for (ModelPlan& plan : plan_comparison(options)) {
      Contestant contestant;
      contestant.result.model = plan.model;
      contestant.result.start = plan.start;
      contestant.plan = std::move(plan);
      contestants_.push_back(std::move(contestant));
    }
    validate(batch);
    find_splits();
    describe_comparison();
    folder_ = std::make_unique<OutputFolder>(
        path, ExistingOutput::resume, identity(),
        Json{{"command", batch.command}, {"models", options.models}},
        FolderKind{"comparison.json", "ordered_gnn comparison 1",
                   "comparison"});
    log_ = std::make_unique<RunLog>(path);
    for (const std::string& line : log_->broken()) note_broken(line);
  }

  Comparison run() {
    for (Contestant& contestant : contestants_) {
      choose(contestant);
      if (contestant.result.error.empty()) plan_runs(contestant);
    }
    run_all();
    MemoryBook memory(folder_->path());
    for (Contestant& contestant : contestants_) {
      collect(contestant);
      if (contestant.result.done()) {
        contestant.result.peak_bytes =
            memory.peak_of(contestant.runs.front(), contestant.keys.front(),
                           batch_, datasets_);
      }
      result_.models.push_back(std::move(contestant.result));
    }
    write_comparison(result_, folder_->path());
    return std::move(result_);
  }

 private:
  // Of every model's own treatment of the data, which must leave the splits as
  // they are.
  void find_splits() {
    size_t count = 0;
    for (const Contestant& contestant : contestants_) {
      RunOptions options = contestant.plan.spec.base;
      const NodeDataset& data = datasets_.get(options);
      if (&contestant == &contestants_.front()) {
        count = data.splits.size();
        result_.dataset = data.name;
        result_.fingerprint = data.provenance.fingerprint;
        tell_notes(data);
      }
      if (data.splits.size() != count) {
        fail("{} would have {} splits of {}, {} has {}; name the --split-set",
             contestant.plan.model, data.splits.size(), data.name,
             contestants_.front().plan.model, count);
      }
      result_.splits =
          parse_split_list(options_.splits, static_cast<int64_t>(count));
      for (const int64_t split : result_.splits) {
        training::require_split(data, split);
      }
    }
  }

  void tell_notes(const NodeDataset& data) const {
    if (!hooks_.on_note) return;
    for (const std::string& note : data::drawn_split_notes(data)) {
      hooks_.on_note(note);
    }
  }

  void describe_comparison() {
    result_.metric =
        to_string(contestants_.front().plan.spec.base.train.metric);
    result_.seeds = options_.seeds;
    if (result_.seeds.empty()) {
      const int64_t seed = contestants_.front().plan.spec.base.train.seed;
      result_.seeds = {seed};
      if (result_.splits.size() == 1) {
        result_.seeds.insert(result_.seeds.end(), {seed + 1, seed + 2});
      }
    }
    result_.trials = options_.trials;
    static_cast<ResultOrigin&>(result_) = origin_of(batch_);
  }

  // Models may come and go; what is compared on may not.
  Json identity() const {
    Json identity = options_.values;
    identity.erase("data-root");
    identity["splits"] = result_.splits;
    identity["seeds"] = result_.seeds;
    identity["trials"] = options_.trials;
    identity["device"] = to_string(batch_.execution.device);
    identity["math"] = to_string(batch_.execution.math);
    identity["fingerprint"] = result_.fingerprint;
    // Comparisons of earlier versions had no choice.
    if (options_.spaces_alone) identity["search"] = options_.spaces;
    return identity;
  }

  void note_broken(const std::string& line) {
    result_.broken.push_back(line);
    if (hooks_.on_broken_line) hooks_.on_broken_line(line);
  }

  // The setting of a model: the start, or the best of a search.
  void choose(Contestant& contestant) {
    contestant.result.options = contestant.plan.spec.base;
    if (options_.trials < 2) return;
    const SweepSpec& spec = contestant.plan.spec;
    SweepHooks hooks;
    hooks.on_broken_line = [this](const std::string& line) {
      note_broken(line);
    };
    if (hooks_.on_tuning) {
      hooks.on_progress = [&](const SweepProgress& progress) {
        hooks_.on_tuning(contestant.plan.model, progress);
      };
    }
    const std::filesystem::path folder =
        folder_->path() / "tuning" / contestant.plan.model;
    const SweepResult found = run_sweep(spec, folder, batch_, datasets_, hooks);
    ComparedModel& result = contestant.result;
    result.tried = static_cast<int64_t>(found.trials.size());
    for (const TrialResult& trial : found.trials) {
      result.tuning_runs += trial.runs + trial.failed;
      result.tuning_seconds += trial.seconds;
      if (!found.best && result.error.empty()) result.error = trial.error;
    }
    if (!found.best) {
      result.error = "no trial of its search ended well, the first reason: " +
                     result.error;
      return;
    }
    result.options = found.best_options;
    for (LoggedRun& run : read_run_log(folder / "runs.jsonl")) {
      if (run.result) tuned_.insert_or_assign(run.key, std::move(run));
    }
  }

  // Runs that the search has done already are taken over into the log.
  void plan_runs(Contestant& contestant) {
    for (const int64_t seed : result_.seeds) {
      for (const int64_t split : result_.splits) {
        PlannedRun run{contestant.result.options, split, {}};
        run.options.train.seed = seed;
        const std::string key = run_key(run, batch_, datasets_);
        model_of_key_.emplace(key, contestant.plan.model);
        const auto done = tuned_.find(key);
        if (done != tuned_.end() && log_->find(key) == nullptr) {
          log_->append(done->second);
        }
        contestant.runs.push_back(std::move(run));
        contestant.keys.push_back(key);
      }
    }
  }

  // Models take turns, so that the time left holds for slow ones too.
  void run_all() {
    std::vector<PlannedRun> planned;
    const size_t most = result_.seeds.size() * result_.splits.size();
    for (size_t i = 0; i < most; ++i) {
      for (const Contestant& contestant : contestants_) {
        if (i < contestant.runs.size()) planned.push_back(contestant.runs[i]);
      }
    }
    BatchHooks hooks;
    if (hooks_.on_run) {
      hooks.on_run = [&](const LoggedRun& run, const BatchProgress& progress) {
        hooks_.on_run(run, model_of_key_.at(run.key), progress);
      };
    }
    run_batch(planned, *log_, datasets_, batch_, hooks);
  }

  void collect(Contestant& contestant) {
    ComparedModel& result = contestant.result;
    size_t failed = 0;
    std::string first;
    for (const std::string& key : contestant.keys) {
      const LoggedRun& record = *log_->find(key);
      if (record.result) {
        result.runs.push_back(compared_run(record));
        result.parameters = record.result->num_parameters;
        result.options = record.options;
      } else if (failed++ == 0) {
        first = record.error;
      }
    }
    if (failed == 0) return;
    result.runs.clear();
    result.error = fmt::format("{} of {} runs failed, the first: {}", failed,
                               contestant.keys.size(), first);
  }

  const ComparisonOptions& options_;
  const BatchOptions& batch_;
  const ComparisonHooks& hooks_;
  std::vector<Contestant> contestants_;
  DatasetCache datasets_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<RunLog> log_;
  std::map<std::string, LoggedRun> tuned_;  ///< by key
  std::map<std::string, std::string> model_of_key_;
  Comparison result_;
};

}  // namespace

Comparison run_comparison(const ComparisonOptions& options,
                          const std::filesystem::path& folder,
                          const BatchOptions& batch,
                          const ComparisonHooks& hooks) {
  return ComparisonRun(options, folder, batch, hooks).run();
}

}  // namespace ordered_gnn::lab
