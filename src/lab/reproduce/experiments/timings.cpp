#include <fmt/format.h>

#include <chrono>

#include "core/io/file.h"
#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/io/sha256.h"
#include "lab/bench/epoch_bench.h"
#include "lab/reproduce/cell_runs.h"
#include "lab/reproduce/cells.h"
#include "lab/reproduce/experiments/experiments.h"
#include "lab/runs/machine.h"
#include "lab/runs/run_splits.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

constexpr int64_t kTimedEpochs = 20;
constexpr int64_t kQuickTimedEpochs = 3;

// Finished timings of a folder in `timings.json`, an object by key, rewritten
// as a whole after each: there are four.
class TimingStore {
 public:
  TimingStore(const std::filesystem::path& folder,
              std::vector<std::string>& broken)
      : file_(folder / "timings.json") {
    if (!std::filesystem::exists(file_)) return;
    const std::optional<Json> values =
        core::parse_json_or_nothing(core::read_file(file_, 1 << 24));
    if (values && values->is_object()) {
      values_ = *values;
    } else {
      broken.push_back(file_.string() + ": is no JSON object, timed again");
    }
  }

  // Null unless there is a usable one.
  Json find(const std::string& key) const {
    const auto found = values_.find(key);
    const bool usable =
        found != values_.end() && found->is_object() &&
        core::number_or_nan(found->value("ms_per_epoch", Json())) > 0;
    return usable ? *found : Json();
  }

  void add(const std::string& key, const Json& timing) {
    values_[key] = timing;
    std::filesystem::create_directories(file_.parent_path());
    core::write_file(file_, values_.dump(2) + "\n");
  }

 private:
  const std::filesystem::path file_;
  Json values_ = Json::object();
};

int64_t timed_epochs(const ExperimentPlan& plan) {
  return plan.quick ? kQuickTimedEpochs : kTimedEpochs;
}

RunOptions timed_options(const PlannedCell& cell, const BatchOptions& batch) {
  RunOptions options = cell.options;
  const int64_t workers = options.execution.workers;
  options.execution = batch.execution;
  options.execution.workers = workers;
  return options;
}

std::string timing_key(const RunOptions& options, int64_t repeats) {
  const std::string device = to_string(options.execution.device);
  const Json what = {{"options", run_identity(options, "")},
                     {"device", device},
                     {"threads", num_threads()},
                     {"repeats", repeats},
                     {"machine", machine_text(device)}};
  core::Sha256 digest;
  digest.update(what.dump());
  return digest.hex();
}

Json time_epochs(const NodeDataset& data, const RunOptions& options,
                 int64_t repeats, const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  EpochBenchOptions bench;
  bench.run = options;
  bench.repeats = repeats;
  bench.floor = bench.unfused = false;
  const EpochBench timing = bench_epoch(data, bench);
  const std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  return {{"ms_per_epoch", timing.ms_per_epoch},
          {"peak_bytes", timing.peak_bytes},
          {"repeats", repeats},
          {"seconds", passed.count()},
          {"fingerprint", data.provenance.fingerprint},
          {"command", command},
          {"version", kVersion},
          {"commit", kCommit}};
}

void fill_timing(const Json& timing, const RunOptions& options,
                 ExperimentResult& result, CellResult& cell) {
  CellRun run;
  run.seed = options.train.seed;
  run.score = core::real_number(timing, "ms_per_epoch", 0);
  run.epochs = core::whole_number(timing, "repeats");
  run.seconds = core::real_number(timing, "seconds", 0);
  cell.runs.push_back(run);
  cell.fingerprint = timing.at("fingerprint");
  count_run(timing.at("command"), timing.at("version"), timing.at("commit"),
            result.made_by);
}

std::string timing_note(const ExperimentResult& result,
                        const BatchOptions& batch) {
  return fmt::format(
      "Ours: {}, {}; an epoch is a training step: forward, backward, Adam. The "
      "paper does not say whether its epoch has an evaluation, too.",
      result.machine,
      batch.execution.device == Device::cpu
          ? fmt::format("{} threads", num_threads())
          : to_string(batch.execution.math));
}

// The timing of a cell from the store, or made and stored.
Json timing_of(const PlannedCell& cell, const ExperimentPlan& plan,
               const RunContext& context, TimingStore& store) {
  const int64_t repeats = timed_epochs(plan);
  RunOptions options = timed_options(cell, context.batch);
  const std::string key = timing_key(options, repeats);
  Json timing = store.find(key);
  if (!timing.is_null()) return timing;
  if (context.hooks.on_step) {
    context.hooks.on_step(fmt::format("{}: timing {} epochs of {}",
                                      plan.experiment->name, repeats,
                                      cell.column));
  }
  // Not through the cache: the graphs are large and used once.
  const NodeDataset data = load_for_training(options);
  timing = time_epochs(data, options, repeats, context.batch.command);
  store.add(key, timing);
  return timing;
}

void run_timings(const ExperimentPlan& plan, const RunContext& context,
                 ExperimentResult& result) {
  const ThreadScope threads(context.batch.execution.threads);
  result.unit = "ms";
  result.notes.push_back(timing_note(result, context.batch));
  TimingStore store(context.folder / plan.experiment->name, result.broken);
  for (const PlannedCell& planned : plan.cells) {
    CellResult cell = empty_result(planned);
    try {
      fill_timing(timing_of(planned, plan, context, store), planned.options,
                  result, cell);
    } catch (const Error& error) {
      mark_unable(planned.options.data, error.what(), cell);
    } catch (const Json::exception& error) {
      mark_unable(planned.options.data, error.what(), cell);
    }
    result.cells.push_back(std::move(cell));
  }
}

std::vector<CellForecast> forecast_timings(const ExperimentPlan& plan,
                                           const std::filesystem::path& folder,
                                           const BatchOptions& batch) {
  const ThreadScope threads(batch.execution.threads);
  std::vector<std::string> ignored;
  const TimingStore store(folder / plan.experiment->name, ignored);
  std::vector<CellForecast> forecasts;
  for (const PlannedCell& cell : plan.cells) {
    const std::string key =
        timing_key(timed_options(cell, batch), timed_epochs(plan));
    forecasts.push_back(empty_forecast(cell));
    forecasts.back().runs = 1;
    forecasts.back().done = store.find(key).is_null() ? 0 : 1;
  }
  return forecasts;
}

}  // namespace

ExperimentRuns timed_runs() { return {&run_timings, &forecast_timings}; }

}  // namespace ordered_gnn::lab
