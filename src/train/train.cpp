#include "ordered_gnn/train/train.h"

#include <optional>

#include "core/out_of_memory.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"
#include "train/batch_choice.h"
#include "train/device_work.h"
#include "train/direction_check.h"
#include "train/math_scope.h"
#include "train/placement.h"
#include "train/split_trainer.h"
#include "train/train_validated.h"
#include "train/training_memory.h"
#include "train/weight_remarks.h"
#if ORDERED_GNN_HAS_CUDA
#include "train/cuda/run_stream.h"
#endif

namespace ordered_gnn {
namespace {

// Which layers a model of the caller's own has is not known.
void require_known_layers(const training::SplitTask& task) {
  const std::string& batch = task.options.train.batch;
  if (!task.own_model || !training::parse_batch(batch).samples()) return;
  throw UsageError(fmt::format(
      "--batch {}: how many layers a model of your own has is not known; train "
      "it on whole graphs",
      batch));
}

Trained run_task(training::SplitTask task) {
  training::require_loaded_order(task.data, "train");
  training::require_split(task.data, task.split);
  if (!task.elsewhere) {
    training::require_no_part_batches(task.options.train.batch);
  }
  require_known_layers(task);
  task.options.data.treatment = TreatmentChoice(task.data.treatment);
  const ExecutionOptions execution = task.options.execution;
  if (!task.own_model) {
    training::require_math_for_weights(task.options, execution, task.data);
    training::require_directed(task.options, task.data);
  }
  const ThreadScope threads(execution.threads);
  const MemoryScope memory(max_memory_of(execution));
  const std::string activity =
      fmt::format("training split {} of '{}'", task.split, task.data.name);
  return core::naming_activity(activity, [&] {
    return training::on_device(device_of(execution), [&] {
#if ORDERED_GNN_HAS_CUDA
      std::optional<training::RunStream> stream;
      // Elsewhere others compute, on streams of their own.
      if (execution.device == Device::cuda && !task.elsewhere) stream.emplace();
#endif
      const training::MathScope math(execution);
      return training::SplitTrainer(std::move(task)).run();
    });
  });
}

}  // namespace

void training::require_split(const NodeDataset& data, int64_t split) {
  if (split < 0 || split >= static_cast<int64_t>(data.splits.size())) {
    throw UsageError(
        fmt::format("'{}' has {} splits, there is no split {}; --split-set "
                    "stratified:60/20/20 draws some",
                    data.name, data.splits.size(), split));
  }
  require_trainable(data, data.splits[static_cast<size_t>(split)],
                    fmt::format("split {}", split));
}

Trained training::train_validated(const NodeDataset& data, int64_t split,
                                  const RunOptions& options,
                                  const TrainHooks& hooks) {
  return run_task({nullptr, data, split, options, hooks});
}

Trained training::train_elsewhere(const NodeDataset& scored, int64_t split,
                                  const RunOptions& options,
                                  const TrainHooks& hooks,
                                  const ElsewhereWork& elsewhere) {
  return run_task({nullptr, scored, split, options, hooks, &elsewhere});
}

Trained train(const NodeDataset& data, int64_t split, const RunOptions& options,
              const TrainHooks& hooks) {
  validate(options);
  const MemoryScope memory(max_memory_of(options.execution));
  training::require_training_memory(options, data, /*runs=*/1);
  return training::train_validated(data, split, options, hooks);
}

Trained train(const std::shared_ptr<NodeModel>& model, const NodeDataset& data,
              int64_t split, const RunOptions& options,
              const TrainHooks& hooks) {
  if (!model) throw UsageError("train: there is no model to train");
  validate(options);
  return run_task({model, data, split, options, hooks});
}

RunResult train_split(const NodeDataset& data, int64_t split,
                      const RunOptions& options, const TrainHooks& hooks) {
  return train(data, split, options, hooks).result;
}

}  // namespace ordered_gnn
