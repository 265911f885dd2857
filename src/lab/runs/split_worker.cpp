#include "lab/runs/split_worker.h"

#include <torch/cuda.h>

#include <optional>

#include "core/thread_share.h"
#include "data/load_dataset.h"
#include "lab/runs/run_order.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "train/math_scope.h"
#include "train/placement.h"
#include "train/thread_choice.h"
#include "train/train_validated.h"

namespace ordered_gnn::lab {

NodeDataset load_with_treatment(
    RunOptions& options, const std::function<void(const RawDataset&)>& on_raw) {
  NodeDataset data = data::load_training_dataset(options.data, on_raw);
  options.data.treatment = TreatmentChoice(data.treatment);
  return data;
}

std::unique_ptr<NodeDataset> place_shared(const NodeDataset& data,
                                          const RunOptions& options) {
  if (training::takes_loaded_data(options.execution)) return nullptr;
  const training::MathScope math(options.execution);
  auto placed = std::make_unique<NodeDataset>(
      training::place(in_run_order(data, options.execution), options));
  // Runs read it on streams of their own.
  if (options.execution.device == Device::cuda) torch::cuda::synchronize();
  return placed;
}

RunResult train_as_worker(const NodeDataset& data, int64_t split,
                          RunOptions options, TrainHooks hooks,
                          StopRequest* stop, const TrainSplit& train) {
  std::optional<StopRequest::Saver> saver;
  if (stop != nullptr) {
    hooks.should_stop = [stop] { return stop->made(); };
    if (!hooks.folder.empty()) saver.emplace(*stop);
  }
  // Runs side by side share the cores, and those that are left have more of
  // them; one alone has what it finds work for, unless a number was asked for.
  // On a GPU or elsewhere the host has little to do.
  std::optional<SerialScope> serial;
  std::optional<core::ThreadShare> share;
  const bool has_others = options.execution.workers != 1;
  const bool computes_here = options.execution.device == Device::cpu && !train;
  if (computes_here && (has_others || options.execution.threads == 0)) {
    share.emplace(has_others ? default_threads() : num_threads(),
                  training::useful_threads(training::pass_work(data, options)));
  } else if (has_others) {
    serial.emplace();
  }
  // Checkpoints hold the options: the neighbours of a run must not show.
  options.execution.workers = 1;
  if (train) return train(split, options, hooks);
  return training::train_validated(data, split, options, hooks).result;
}

}  // namespace ordered_gnn::lab
