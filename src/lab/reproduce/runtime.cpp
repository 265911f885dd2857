#include "lab/reproduce/runtime.h"

#include <fmt/format.h>

#include <chrono>

#include "core/io/file.h"
#include "core/io/sha256.h"
#include "lab/bench/epoch_bench.h"
#include "lab/reproduce/cells.h"
#include "lab/reproduce/reproduction.h"
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
    values_ = Json::parse(core::read_file(file_, 1 << 24), nullptr,
                          /*allow_exceptions=*/false);
    if (values_.is_object()) return;
    broken.push_back(file_.string() + ": is no JSON object, timed again");
    values_ = Json::object();
  }

  // Null unless there is a usable one.
  Json find(const std::string& key) const {
    const auto found = values_.find(key);
    const bool usable = found != values_.end() && found->is_object() &&
                        found->value("ms_per_epoch", 0.0) > 0;
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

int64_t timed_epochs(const ReproductionOptions& options) {
  return options.quick ? kQuickTimedEpochs : kTimedEpochs;
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
  run.score = timing.at("ms_per_epoch");
  run.epochs = timing.at("repeats");
  run.seconds = timing.at("seconds");
  cell.runs.push_back(run);
  cell.fingerprint = timing.at("fingerprint");
  count_run(timing.at("command"), timing.at("version"), timing.at("commit"),
            result.made_by);
}

}  // namespace

bool is_timed(const std::filesystem::path& folder, const PlannedCell& cell,
              const ReproductionOptions& options, const BatchOptions& batch) {
  const ThreadScope threads(batch.execution.threads);
  std::vector<std::string> ignored;
  const std::string key =
      timing_key(timed_options(cell, batch), timed_epochs(options));
  return !TimingStore(folder, ignored).find(key).is_null();
}

void Reproduction::run_timings(const ExperimentPlan& plan,
                               ExperimentResult& result) {
  const ThreadScope threads(batch_.execution.threads);
  result.unit = "ms";
  result.notes.push_back(fmt::format(
      "Ours: {}, {}; an epoch is a training step: forward, backward, Adam. The "
      "paper does not say whether its epoch has an evaluation, too.",
      result.machine,
      batch_.execution.device == Device::cpu
          ? fmt::format("{} threads", num_threads())
          : to_string(batch_.execution.math)));
  const int64_t repeats = timed_epochs(options_);
  TimingStore store(folder_.path() / plan.name, result.broken);
  for (const PlannedCell& planned : plan.cells) {
    CellResult cell = empty_result(planned);
    RunOptions options = timed_options(planned, batch_);
    const std::string key = timing_key(options, repeats);
    Json timing = store.find(key);
    try {
      if (timing.is_null()) {
        if (hooks_.on_step) {
          hooks_.on_step(fmt::format("runtime: timing {} epochs of {}", repeats,
                                     planned.column));
        }
        // Not through the cache: the graphs are large and used once.
        const NodeDataset data = load_for_training(options);
        timing = time_epochs(data, options, repeats, batch_.command);
        store.add(key, timing);
      }
      fill_timing(timing, options, result, cell);
    } catch (const Error& error) {
      mark_unable(planned.options.data, error.what(), cell);
    } catch (const Json::exception& error) {
      mark_unable(planned.options.data, error.what(), cell);
    }
    result.cells.push_back(std::move(cell));
  }
}

}  // namespace ordered_gnn::lab
