#include "lab/sweep/sweep.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "core/io/json_numbers.h"
#include "data/drawn_splits.h"
#include "lab/runs/output_folder.h"
#include "lab/runs/split_worker.h"
#include "lab/sweep/meter.h"
#include "lab/sweep/report.h"
#include "lab/sweep/rungs.h"
#include "lab/sweep/trials.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/splits.h"
#include "train/train_validated.h"

namespace ordered_gnn::lab {
namespace {

// Least time between two writings of the tables while runs go on.
constexpr double kReportSeconds = 2;

SweepSpec with_execution(SweepSpec spec, const BatchOptions& batch) {
  spec.base.execution = batch.execution;
  return spec;
}

// Opens the folder of a sweep; its trials may only have become more.
std::unique_ptr<OutputFolder> open_folder(const SweepSpec& spec,
                                          const std::filesystem::path& path,
                                          const std::string& command,
                                          const Json& identity) {
  auto folder = std::make_unique<OutputFolder>(
      path, ExistingOutput::resume, identity,
      Json{{"command", command}, {"file", spec.file}, {"trials", spec.trials}},
      sweep_folder_kind());
  const Json before = folder->fact("trials");
  // 0 stands for all there are.
  const auto amount = [](int64_t trials) {
    return trials == 0 ? std::numeric_limits<int64_t>::max() : trials;
  };
  if (core::is_whole_number(before) &&
      amount(before.get<int64_t>()) > amount(spec.trials)) {
    fail_in(path,
            fmt::format("holds a sweep with \"trials\" {}, which cannot become "
                        "{}; use as many or more, or another --out",
                        before.dump(), spec.trials));
  }
  if (before != Json(spec.trials)) folder->set_fact("trials", spec.trials);
  return folder;
}

class Sweep {
 public:
  Sweep(const SweepSpec& spec, const std::filesystem::path& folder,
        const BatchOptions& batch, DatasetCache& datasets,
        const SweepHooks& hooks)
      : spec_(with_execution(spec, batch)),
        seeds_(seeds_of(spec)),
        variants_(variants_of(spec)),
        batch_(batch),
        hooks_(hooks),
        trials_(settings_of(spec)),
        datasets_(datasets) {
    const auto start = SweepMeter::Clock::now();
    // All that can be wrong is found before the folder is made. One that was
    // filled on another machine may need no device any more.
    if (!std::filesystem::exists(folder / "runs.jsonl")) validate(batch);
    RunOptions options = spec_.base;
    const NodeDataset& data = datasets_.get(options);
    splits_ = parse_split_list(options.splits,
                               static_cast<int64_t>(data.splits.size()));
    for (const int64_t split : splits_) training::require_split(data, split);
    rungs_ = plan_rungs(spec_, static_cast<int64_t>(trials_.results().size()),
                        static_cast<int64_t>(splits_.size()));
    meter_ = std::make_unique<SweepMeter>(
        start, rungs_, static_cast<int64_t>(seeds_.size() * variants_.size()),
        num_workers(spec_.base.execution));
    folder_ = open_folder(spec_, folder, batch.command,
                          sweep_identity(spec_, data.provenance.fingerprint));
    log_ = std::make_unique<RunLog>(folder);
    result_.dataset = data.name;
    result_.broken = log_->broken();
    if (hooks.on_note) {
      for (const std::string& note : data::drawn_split_notes(data)) {
        hooks.on_note(note);
      }
    }
    if (!hooks.on_broken_line) return;
    for (const std::string& line : result_.broken) hooks.on_broken_line(line);
  }

  SweepResult run() {
    std::vector<int64_t> numbers;
    for (const TrialResult& trial : trials_.results()) {
      numbers.push_back(trial.number);
    }
    for (size_t r = 0; r < rungs_.size() && !result_.stopped; ++r) {
      if (r > 0) numbers = climbers(numbers, rungs_[r].trials);
      run_rung(static_cast<int64_t>(r), numbers);
    }
    finish(trials_.best_of(numbers, 1));
    return std::move(result_);
  }

 private:
  // The base climbs whatever it has, so that it competes on all there is.
  std::vector<int64_t> climbers(std::vector<int64_t> numbers,
                                int64_t most) const {
    if (!spec_.try_base) return trials_.best_of(numbers, most);
    const bool base_failed = trials_.best_of({0}, 1).empty();
    numbers.erase(std::remove(numbers.begin(), numbers.end(), 0),
                  numbers.end());
    numbers = trials_.best_of(numbers, most - 1);
    if (!base_failed) numbers.insert(numbers.begin(), 0);
    return numbers;
  }

  void run_rung(int64_t index, const std::vector<int64_t>& numbers) {
    std::vector<PlannedRun> runs;
    std::unordered_map<std::string, int64_t> trial_of;
    for (const int64_t number : numbers) {
      std::vector<std::string> keys;
      for (PlannedRun& run : runs_of(trials_[number].setting, index)) {
        keys.push_back(run_key(run, batch_, datasets_));
        trial_of[keys.back()] = number;
        note_earlier(keys.back());
        runs.push_back(std::move(run));
      }
      trials_.plan(number, index, std::move(keys));
      count(number);
    }
    meter_->begin_rung(index, static_cast<int64_t>(numbers.size()));
    tell();
    BatchHooks hooks;
    hooks.on_run = [&](const LoggedRun& run, const BatchProgress& batch) {
      const int64_t number = trial_of.at(run.key);
      count(number);
      meter_->add(batch);
      ++result_.runs;
      tell();
      if (trials_[number].complete()) report_when_due();
    };
    if (hooks_.on_epoch) {
      hooks.on_epoch = [this](const EpochReport& report, const PlannedRun&) {
        hooks_.on_epoch(report);
      };
    }
    try {
      run_batch(runs, *log_, datasets_, batch_, hooks);
    } catch (const BatchStopped&) {
      result_.stopped = true;
    }
  }

  void tell() const {
    if (hooks_.on_progress) hooks_.on_progress(meter_->progress());
  }

  std::vector<PlannedRun> runs_of(const Setting& setting, int64_t rung) const {
    std::vector<PlannedRun> runs;
    for (const Setting& variant : variants_) {
      RunOptions options = options_of(setting);
      apply_json(run_option_table(), to_json(variant), options);
      add_runs(options, rungs_[static_cast<size_t>(rung)], runs);
    }
    return runs;
  }

  void add_runs(const RunOptions& options, const Rung& rung,
                std::vector<PlannedRun>& runs) const {
    PlannedRun run;
    run.options = options;
    if (rung.epochs > 0) run.options.train.epochs = rung.epochs;
    for (const int64_t seed : seeds_) {
      run.options.train.seed = spec_.seeds.empty() ? options.train.seed : seed;
      for (int64_t s = 0; s < rung.splits; ++s) {
        run.split = splits_[static_cast<size_t>(s)];
        runs.push_back(run);
      }
    }
  }

  RunOptions options_of(const Setting& setting) const {
    RunOptions options = spec_.base;
    apply_json(run_option_table(), to_json(setting), options);
    return options;
  }

  // Runs that were there before this call; a later rung plans them again.
  void note_earlier(const std::string& key) {
    if (!planned_.insert(key).second) return;
    const LoggedRun* const run = log_->find(key);
    if (run == nullptr || (!run->result && batch_.retry_failed)) return;
    ++result_.skipped;
    meter_->add_earlier(!run->result);
  }

  void count(int64_t number) {
    trials_.count(number, *log_, spec_.base.train.metric);
    const TrialResult& trial = trials_[number];
    if (trial.complete() && trial.failed == 0) meter_->offer(trial);
  }

  void report_when_due() {
    if (meter_->seconds() - last_report_ < kReportSeconds) return;
    write_report(meter_->progress().best);
    last_report_ = meter_->seconds();
  }

  void write_report(const std::optional<TrialResult>& best) const {
    SweepReport report;
    report.folder = folder_->path();
    report.spec = &spec_;
    report.trials = &trials_.results();
    report.dataset = result_.dataset;
    report.best = best;
    if (best) report.best_options = options_of(best->setting);
    lab::write_report(report);
  }

  void finish(const std::vector<int64_t>& best) {
    if (!best.empty()) set_best(best[0]);
    result_.trials = trials_.results();
    for (const TrialResult& trial : result_.trials) {
      result_.failed += trial.failed;
    }
    write_report(result_.best ? std::optional(trials_[best[0]]) : std::nullopt);
    result_.seconds = meter_->seconds();
    result_.training_share = meter_->training_share();
  }

  void set_best(int64_t number) {
    result_.best = static_cast<size_t>(number);
    result_.best_options = options_of(trials_[number].setting);
    std::vector<double> scores;
    for (const std::string& key : trials_.keys(number)) {
      scores.push_back(
          value_of(log_->find(key)->result->test, spec_.base.train.metric));
    }
    result_.best_test_mean = describe(scores).mean;
  }

  const SweepSpec spec_;
  const std::vector<int64_t> seeds_;
  const std::vector<Setting> variants_;
  const BatchOptions& batch_;
  const SweepHooks& hooks_;
  Trials trials_;
  DatasetCache& datasets_;
  std::vector<int64_t> splits_;
  std::vector<Rung> rungs_;
  std::unique_ptr<SweepMeter> meter_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<RunLog> log_;
  std::unordered_set<std::string> planned_;
  double last_report_ = 0;
  SweepResult result_;
};

}  // namespace

SweepResult run_sweep(const SweepSpec& spec,
                      const std::filesystem::path& folder,
                      const BatchOptions& batch, const SweepHooks& hooks) {
  DatasetCache datasets;
  return run_sweep(spec, folder, batch, datasets, hooks);
}

SweepResult run_sweep(const SweepSpec& spec,
                      const std::filesystem::path& folder,
                      const BatchOptions& batch, DatasetCache& datasets,
                      const SweepHooks& hooks) {
  return Sweep(spec, folder, batch, datasets, hooks).run();
}

FolderKind sweep_folder_kind() {
  return {"sweep.json", "ordered_gnn sweep 1", "sweep"};
}

}  // namespace ordered_gnn::lab
