#include "lab/tune/tune.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <set>

#include "data/drawn_splits.h"
#include "lab/runs/curves.h"
#include "lab/runs/output_folder.h"
#include "lab/tune/candidate.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/splits.h"
#include "train/train_validated.h"

namespace ordered_gnn::lab {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Trials that every model gets, and how many of the one that is ahead come on
// one of another from then on.
constexpr int64_t kFirstTrials = 5, kTrialsOfLeader = 4;

bool is_worse(const Candidate& a, const Candidate& b) {
  return a.objective() < b.objective();
}

class Tuning {
 public:
  Tuning(const TuneOptions& options, const std::filesystem::path& path,
         const BatchOptions& batch, const TuneHooks& hooks)
      : options_(options),
        batch_(batch),
        hooks_(hooks),
        clock_(hooks.clock ? hooks.clock : steady_seconds),
        start_(clock_()),
        path_(path),
        candidates_(candidates_of(options, path)) {
    validate(batch);
    require_data();
    folder_ = std::make_unique<OutputFolder>(
        path, ExistingOutput::resume, identity(),
        Json{{"command", batch.command}},
        FolderKind{"tune.json", "ordered_gnn tuning 1", "search"});
  }

  TuneResult run() {
    // Searches of earlier calls count, however little time there is.
    for (Candidate& candidate : candidates_) {
      if (candidate.trials > 0) search(candidate);
    }
    while (!is_over()) {
      bool tried = false;
      for (Candidate& candidate : candidates_) {
        const int64_t more = is_over() ? 0 : due_trials(candidate);
        if (more == 0) continue;
        candidate.trials += more;
        search(candidate);
        tried = true;
      }
      if (!tried) break;
    }
    TuneResult result = collected();
    train(result);
    result.seconds = seconds();
    return result;
  }

 private:
  void require_data() {
    RunOptions first = candidates_.front().plan.spec.base;
    const NodeDataset& data = datasets_.get(first);
    const std::vector<int64_t> splits = parse_split_list(
        options_.splits, static_cast<int64_t>(data.splits.size()));
    for (const int64_t split : splits) training::require_split(data, split);
    dataset_ = data.name;
    fingerprint_ = data.provenance.fingerprint;
    metric_ = first.train.metric;
    // All workers have something to do.
    step_ = std::max<int64_t>(
        1, num_workers(batch_.execution) / static_cast<int64_t>(splits.size()));
    if (!hooks_.on_note) return;
    for (const std::string& note : data::drawn_split_notes(data)) {
      hooks_.on_note(note);
    }
  }

  // Models may come and go; what they are tuned on may not.
  Json identity() const {
    Json identity = options_.values;
    identity.erase("data-root");
    identity.erase("split-file");  // the fingerprint has its splits
    identity["splits"] = options_.splits;
    identity["device"] = to_string(batch_.execution.device);
    identity["math"] = to_string(batch_.execution.math);
    identity["fingerprint"] = fingerprint_;
    return identity;
  }

  double seconds() const { return clock_() - start_; }

  const Candidate* best() const {
    const auto first =
        std::max_element(candidates_.begin(), candidates_.end(), is_worse);
    return first->found.best ? &*first : nullptr;
  }

  // What training the best model will take, as far as is known.
  double closing_seconds() const {
    const Candidate* const first = best();
    return first == nullptr ? 0 : first->found.best->seconds;
  }

  double seconds_left() const {
    return 60 * options_.minutes - closing_seconds() - seconds();
  }

  // Settings of all models, as far as they are planned.
  int64_t planned_trials() const {
    int64_t trials = 0;
    for (const Candidate& candidate : candidates_) {
      trials += candidate.trials > 0 ? candidate.trials + 1 : 0;
    }
    return trials;
  }

  int64_t trials_left() const {
    return options_.trials == 0 ? std::numeric_limits<int64_t>::max()
                                : options_.trials - planned_trials();
  }

  // Not before there is a model to end with.
  bool is_late() const { return best() != nullptr && seconds_left() <= 0; }
  bool is_over() const {
    return is_late() || (best() != nullptr && trials_left() <= 0);
  }

  // How many trials more a model may try now: every one a few, then the one
  // that is ahead most of them.
  int64_t due_trials(const Candidate& candidate) const {
    if (candidate.exhausted) return 0;
    const Candidate* const first = best();
    int64_t most = kFirstTrials;
    if (first != nullptr && first->trials >= kFirstTrials) {
      const bool leads = first == &candidate || first->exhausted;
      most = leads ? candidate.trials + step_
                   : std::max(most, first->trials / kTrialsOfLeader);
    }
    return std::clamp<int64_t>(
        most - candidate.trials, 0,
        std::min(step_, std::max<int64_t>(1, trials_left())));
  }

  // Runs the trials of a candidate that its log lacks.
  void search(Candidate& candidate) {
    SweepHooks hooks;
    hooks.on_broken_line = [&](const std::string& line) {
      // A log is read once for every turn.
      if (told_.insert(line).second && hooks_.on_broken_line) {
        hooks_.on_broken_line(line);
      }
    };
    hooks.on_progress = [&](const SweepProgress& progress) {
      if (progress.best) candidate.offer(*progress.best);
      tell(candidate);
    };
    hooks.on_epoch = [&](const EpochReport&) {
      if (is_late()) throw BatchStopped{};
      tell(candidate);
    };
    SweepSpec& spec = candidate.plan.spec;
    spec.trials = candidate.trials;
    candidate.take(run_sweep(spec, candidate.folder, batch_, datasets_, hooks));
  }

  void tell(const Candidate& candidate) const {
    if (!hooks_.on_progress) return;
    TuneProgress progress;
    progress.model = candidate.found.model;
    for (const Candidate& each : candidates_) {
      progress.trials += each.found.trials;
    }
    progress.seconds = seconds();
    progress.seconds_left = std::max(0.0, seconds_left());
    if (const Candidate* const first = best()) progress.best = &first->found;
    hooks_.on_progress(progress);
  }

  TuneResult collected() {
    TuneResult result;
    result.dataset = dataset_;
    result.metric = metric_;
    for (Candidate& candidate : candidates_) {
      TunedModel& found = candidate.found;
      if (!found.best && found.error.empty()) {
        found.error = "no trial was complete when the time was up";
      }
      result.models.push_back(found);
    }
    const Candidate* const first = best();
    if (first == nullptr) {
      fail("no trial of any model ended well; the first reason: {}",
           result.models.front().error);
    }
    result.best = static_cast<size_t>(first - candidates_.data());
    return result;
  }

  // The best setting once more, this time with its files.
  void train(TuneResult& result) {
    RunOptions options = result.models[result.best].options;
    options.splits = options_.splits;
    options.execution = batch_.execution;
    const NodeDataset& data = datasets_.get(options);
    result.folder = path_ / "best";
    SplitsHooks hooks;
    hooks.folder = result.folder;
    hooks.command = batch_.command;
    hooks.stop = batch_.stop;
    hooks.on_note = hooks_.on_note;
    hooks.on_epoch = hooks_.on_epoch;
    hooks.on_note = hooks_.on_note;
    // What an earlier call found may no longer be the best.
    const Json before = folder_fact(result.folder, "identity");
    const bool is_same =
        before.is_null() ||
        before == run_identity(options, data.provenance.fingerprint);
    hooks.existing =
        is_same ? ExistingOutput::resume : ExistingOutput::overwrite;
    result.summary = run_splits(data, options, hooks);
    for (const std::string& line : write_curves(result.folder)) {
      if (hooks_.on_broken_line) hooks_.on_broken_line(line);
    }
  }

  const TuneOptions& options_;
  const BatchOptions& batch_;
  const TuneHooks& hooks_;
  const std::function<double()> clock_;
  const double start_;
  const std::filesystem::path path_;
  std::vector<Candidate> candidates_;
  DatasetCache datasets_;
  std::unique_ptr<OutputFolder> folder_;
  std::set<std::string> told_;
  std::string dataset_, fingerprint_;
  Metric metric_ = Metric::accuracy;
  int64_t step_ = 1;
};

}  // namespace

TuneResult run_tune(const TuneOptions& options,
                    const std::filesystem::path& folder,
                    const BatchOptions& batch, const TuneHooks& hooks) {
  return Tuning(options, folder, batch, hooks).run();
}

}  // namespace ordered_gnn::lab
