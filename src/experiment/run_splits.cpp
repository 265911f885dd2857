#include "ordered_gnn/experiment/run_splits.h"

#include <cmath>
#include <memory>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/io/file.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/splits.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn {
namespace {

// What two invocations on one folder must agree on.
double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

void fill_statistics(RunSummary& summary) {
  std::vector<double> test, val;
  for (const RunResult& run : summary.runs) {
    test.push_back(select(run.test, summary.options.train.metric));
    val.push_back(select(run.val, summary.options.train.metric));
  }
  summary.test_mean = mean_of(test);
  summary.test_std = deviation_of(test);
  summary.val_mean = mean_of(val);
}

}  // namespace

NodeDataset load_for_training(RunOptions& options) {
  validate(options);
  NodeDataset data = load_dataset(options.data);
  options.data.direction = to_string(data.treatment.direction);
  options.data.self_loops = to_string(data.treatment.self_loops);
  options.data.features = to_string(data.treatment.features);
  return data;
}

RunSummary run_splits(const NodeDataset& data, const RunOptions& options,
                      const SplitsHooks& hooks) {
  validate(options);
  set_num_threads(static_cast<int>(options.threads));
  const std::vector<int64_t> splits = parse_split_list(
      options.splits, static_cast<int64_t>(data.splits.size()));
  for (const int64_t split : splits) {
    require_trainable(data, data.splits[split], fmt::format("split {}", split));
  }
  std::unique_ptr<OutputFolder> folder;
  if (!hooks.folder.empty()) {
    folder = std::make_unique<OutputFolder>(
        hooks.folder, hooks.existing,
        run_identity(options, data.provenance.fingerprint),
        Json{{"command", hooks.command}, {"config", to_json(options)}});
  }
  RunSummary summary;
  summary.options = options;
  summary.dataset = data.name;
  summary.fingerprint = data.provenance.fingerprint;
  summary.command = hooks.command;
  for (const int64_t split : splits) {
    TrainHooks train;
    if (folder) train.folder = folder->path() / fmt::format("split-{}", split);
    train.resume = hooks.existing == ExistingOutput::resume;
    train.on_epoch = hooks.on_epoch;
    summary.runs.push_back(train_split(data, split, options, train));
    fill_statistics(summary);
    if (folder) {
      write_file(folder->path() / "summary.json",
                 to_json(summary).dump(2) + "\n");
    }
    if (hooks.on_split) {
      hooks.on_split(summary.runs.back(),
                     static_cast<int64_t>(summary.runs.size()),
                     static_cast<int64_t>(splits.size()));
    }
  }
  return summary;
}

Json to_json(const RunSummary& summary) {
  Json runs = Json::array();
  for (const RunResult& run : summary.runs) runs.push_back(to_json(run));
  return {{"dataset", summary.dataset},
          {"model", summary.options.model},
          {"device", summary.options.device},
          {"metric", to_string(summary.options.train.metric)},
          {"runs", runs},
          {"test_mean", summary.test_mean},
          {"test_std", summary.test_std},
          {"val_mean", summary.val_mean},
          {"seed", summary.options.train.seed},
          {"fingerprint", summary.fingerprint},
          {"command", summary.command},
          {"config", to_json(summary.options)},
          {"version", kVersion},
          {"commit", kCommit}};
}

}  // namespace ordered_gnn
