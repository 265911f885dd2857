#include "ordered_gnn/experiment/sweep.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "experiment/split_worker.h"
#include "experiment/sweep_report.h"
#include "experiment/sweep_rungs.h"
#include "experiment/sweep_trials.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/splits.h"
#include "ordered_gnn/experiment/output_folder.h"

namespace ordered_gnn {
namespace {

using SweepClock = std::chrono::steady_clock;

// Least time between two writings of the tables while runs go on.
constexpr double kReportSeconds = 2;

double seconds_after(SweepClock::time_point start) {
  return std::chrono::duration<double>(SweepClock::now() - start).count();
}

SweepSpec with_execution(SweepSpec spec, const BatchOptions& batch) {
  spec.base.device = batch.device;
  spec.base.math = batch.math;
  spec.base.threads = batch.threads;
  spec.base.workers = batch.workers;
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
      FolderKind{"sweep.json", "ordered_gnn sweep 1", "sweep"});
  const Json before = folder->fact("trials");
  // 0 stands for all there are.
  const auto amount = [](int64_t trials) {
    return trials == 0 ? std::numeric_limits<int64_t>::max() : trials;
  };
  if (before.is_number_integer() &&
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
        const BatchOptions& batch, const SweepHooks& hooks)
      : spec_(with_execution(spec, batch)),
        seeds_(seeds_of(spec)),
        batch_(batch),
        hooks_(hooks),
        trials_(settings_of(spec)) {
    // All that can be wrong is found before the folder is made.
    validate(batch);
    RunOptions options = spec_.base;
    const NodeDataset& data = datasets_.get(options);
    splits_ = parse_split_list(options.splits,
                               static_cast<int64_t>(data.splits.size()));
    for (const int64_t split : splits_) detail::require_split(data, split);
    rungs_ = detail::plan_rungs(spec_,
                                static_cast<int64_t>(trials_.results().size()),
                                static_cast<int64_t>(splits_.size()));
    folder_ = open_folder(spec_, folder, batch.command,
                          sweep_identity(spec_, data.provenance.fingerprint));
    log_ = std::make_unique<RunLog>(folder);
    result_.dataset = data.name;
    result_.broken = log_->broken();
    if (!hooks.on_broken_line) return;
    for (const std::string& line : result_.broken) hooks.on_broken_line(line);
  }

  SweepResult run() {
    std::vector<int64_t> numbers;
    for (const TrialResult& trial : trials_.results()) {
      numbers.push_back(trial.number);
    }
    progress_.trials = static_cast<int64_t>(numbers.size());
    progress_.rungs = static_cast<int64_t>(rungs_.size());
    for (size_t r = 0; r < rungs_.size(); ++r) {
      if (r > 0) numbers = trials_.best_of(numbers, rungs_[r].trials);
      run_rung(static_cast<int64_t>(r), numbers);
    }
    finish(trials_.best_of(numbers, 1));
    return std::move(result_);
  }

 private:
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
    estimate(index, static_cast<int64_t>(numbers.size()));
    batch_training_ = 0;
    const SweepProgress before = progress_;
    BatchHooks hooks;
    hooks.on_run = [&](const LoggedRun& run, const BatchProgress& batch) {
      count(trial_of.at(run.key));
      add(before, batch, index);
      if (trials_[trial_of.at(run.key)].complete()) report_when_due();
    };
    run_batch(runs, *log_, datasets_, batch_, hooks);
  }

  std::vector<PlannedRun> runs_of(const Setting& setting, int64_t rung) const {
    const detail::Rung& shape = rungs_[static_cast<size_t>(rung)];
    PlannedRun run;
    run.options = options_of(setting);
    if (shape.epochs > 0) run.options.train.epochs = shape.epochs;
    const int64_t searched_seed = run.options.train.seed;
    std::vector<PlannedRun> runs;
    for (const int64_t seed : seeds_) {
      run.options.train.seed = spec_.seeds.empty() ? searched_seed : seed;
      for (int64_t s = 0; s < shape.splits; ++s) {
        run.split = splits_[static_cast<size_t>(s)];
        runs.push_back(run);
      }
    }
    return runs;
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
    ++progress_.runs_done;
    progress_.runs_failed += run->result ? 0 : 1;
  }

  void count(int64_t number) {
    trials_.count(number, *log_, spec_.base.train.metric);
    const TrialResult& trial = trials_[number];
    if (!trial.complete() || trial.failed > 0) return;
    if (!progress_.best || detail::ranks_before(trial, *progress_.best)) {
      progress_.best = trial;
    }
  }

  // Runs of this rung and of those to come, as trials that failed are gone.
  void estimate(int64_t index, int64_t trials) {
    progress_.rung = index;
    int64_t runs = 0;
    cost_left_ = 0;
    for (size_t r = 0; r < rungs_.size(); ++r) {
      const detail::Rung& rung = rungs_[r];
      const bool past = static_cast<int64_t>(r) < index;
      const int64_t count =
          (past ? rung.trials : std::min(rung.trials, trials)) *
          rung.new_splits * static_cast<int64_t>(seeds_.size());
      runs += count;
      if (static_cast<int64_t>(r) > index) {
        cost_left_ += static_cast<double>(count) * cost(r);
      }
    }
    progress_.runs_total = runs;
    progress_.seconds = seconds_after(start_);
    if (hooks_.on_progress) hooks_.on_progress(progress_);
  }

  double cost(size_t rung) const {
    return static_cast<double>(std::max<int64_t>(1, rungs_[rung].epochs));
  }

  void add(const SweepProgress& before, const BatchProgress& batch,
           int64_t rung) {
    progress_.runs_done = before.runs_done + batch.done;
    progress_.runs_failed = before.runs_failed + batch.failed;
    ++result_.runs;
    training_seconds_ += batch.training_seconds - batch_training_;
    batch_training_ = batch.training_seconds;
    // What is left of this rung by its own pace, later ones in proportion.
    const double pace = batch.seconds / static_cast<double>(batch.done) /
                        cost(static_cast<size_t>(rung));
    progress_.seconds_left = batch.seconds_left + pace * cost_left_;
    progress_.seconds = seconds_after(start_);
    progress_.training_share = training_share();
    if (hooks_.on_progress) hooks_.on_progress(progress_);
  }

  double training_share() const {
    return training_seconds_ / seconds_after(start_) /
           static_cast<double>(num_workers(spec_.base));
  }

  void report_when_due() {
    if (seconds_after(last_report_) < kReportSeconds) return;
    write_report();
    last_report_ = SweepClock::now();
  }

  void write_report() {
    detail::SweepReport report;
    report.folder = folder_->path();
    report.spec = &spec_;
    report.trials = &trials_.results();
    report.dataset = result_.dataset;
    report.num_splits = static_cast<int64_t>(splits_.size());
    report.best = progress_.best;
    if (progress_.best)
      report.best_options = options_of(progress_.best->setting);
    detail::write_report(report);
  }

  void finish(const std::vector<int64_t>& best) {
    progress_.best.reset();
    if (!best.empty()) {
      progress_.best = trials_[best[0]];
      result_.best = static_cast<size_t>(best[0]);
      result_.best_options = options_of(progress_.best->setting);
      std::vector<double> scores;
      for (const std::string& key : trials_.keys(best[0])) {
        scores.push_back(
            select(log_->find(key)->result->test, spec_.base.train.metric));
      }
      result_.best_test_mean = describe(scores).mean;
    }
    write_report();
    result_.trials = trials_.results();
    for (const TrialResult& trial : result_.trials) {
      result_.failed += trial.failed;
    }
    result_.seconds = seconds_after(start_);
    result_.training_share = training_share();
  }

  const SweepClock::time_point start_ = SweepClock::now();
  const SweepSpec spec_;
  const std::vector<int64_t> seeds_;
  const BatchOptions& batch_;
  const SweepHooks& hooks_;
  detail::Trials trials_;
  DatasetCache datasets_;
  std::vector<int64_t> splits_;
  std::vector<detail::Rung> rungs_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<RunLog> log_;
  std::unordered_set<std::string> planned_;
  SweepClock::time_point last_report_ = start_;
  double cost_left_ = 0;         ///< of rungs after this one
  double training_seconds_ = 0;  ///< of all workers
  double batch_training_ = 0;    ///< of them, those of this rung
  SweepProgress progress_;
  SweepResult result_;
};

}  // namespace

SweepResult run_sweep(const SweepSpec& spec,
                      const std::filesystem::path& folder,
                      const BatchOptions& batch, const SweepHooks& hooks) {
  return Sweep(spec, folder, batch, hooks).run();
}

}  // namespace ordered_gnn
