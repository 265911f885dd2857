#include "ordered_gnn/train/trainer.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/prediction.h"
#include "train/device_work.h"
#include "train/epochs.h"
#include "train/placement.h"
#include "train/run_folder.h"
#include "train/train_step.h"
#if ORDERED_GNN_HAS_CUDA
#include "train/cuda/run_stream.h"
#endif

namespace ordered_gnn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The settings that decide the bits of a run, for comparing two runs.
Json identity_of(const NodeDataset& data, int64_t split,
                 const RunOptions& options) {
  Json identity = run_identity(options, data.provenance.fingerprint);
  identity["split"] = split;
  return identity;
}

std::shared_ptr<NodeModel> placed_model(std::shared_ptr<NodeModel> model,
                                        const RunOptions& options) {
  train::place(*model, options);
  return model;
}

// Null on the CPU, where the data can be used as it is.
std::unique_ptr<NodeDataset> copy_for(const NodeDataset& data,
                                      const RunOptions& options) {
  if (device_of(options).is_cpu()) return nullptr;
  return std::make_unique<NodeDataset>(train::place(data, options));
}

std::unique_ptr<train::Epochs> make_epochs(const train::EpochsInput& input,
                                           at::Device device) {
#if ORDERED_GNN_HAS_CUDA
  // Without parameters there is one pass to make and nothing to record.
  if (device.is_cuda() && !input.model.parameters().empty()) {
    return train::make_device_epochs(input);
  }
#endif
  (void)device;
  return train::make_host_epochs(input);
}

class SplitTrainer {
 public:
  SplitTrainer(const NodeDataset& data, int64_t split,
               const RunOptions& options, const TrainHooks& hooks)
      : data_(data),
        split_index_(split),
        options_(options),
        hooks_(hooks),
        shape_{data.features.num_features(), data.num_classes,
               data.features.kind(), data.num_nodes()},
        copy_(hooks.placed == nullptr ? copy_for(data, options) : nullptr),
        placed_(hooks.placed != nullptr ? *hooks.placed
                : copy_                 ? *copy_
                                        : data),
        model_(placed_model(create_model(options.model, placed_shape(),
                                         options.network, options.train.seed),
                            options)),
        step_(*model_, placed_, placed_.splits.at(split), options.train),
        folder_(hooks.folder, identity_of(data, split, options)) {
    require_trainable(data, data.splits.at(split),
                      fmt::format("split {}", split));
    if (options.train.metric == Metric::roc_auc && data.num_classes != 2) {
      throw UsageError(
          fmt::format("metric roc_auc needs two classes, '{}' has "
                      "{}; use accuracy or macro_f1",
                      data.name, data.num_classes));
    }
  }

  RunResult run() {
    if (hooks_.resume) {
      if (auto done = folder_.finished()) return *done;
    }
    epochs_ = make_epochs(
        {*model_, step_, data_, placed_, split_index_, options_.train},
        device_of(options_));
    if (hooks_.resume) restore();
    folder_.open_metrics(state_.epoch);
    start_ = Clock::now();
    last_save_ = Clock::now();
    while (!finished()) run_epochs();
    return finish();
  }

 private:
  // The layout of the first weight follows the features it is used with.
  ModelShape placed_shape() const {
    ModelShape shape = shape_;
    shape.features_kind = placed_.features.kind();
    return shape;
  }

  bool finished() const {
    return state_.epoch >= options_.train.epochs ||
           (state_.best_epoch > 0 &&
            state_.epoch - state_.best_epoch >= options_.train.patience);
  }

  // The next epochs; their shares of the time are taken to be equal.
  void run_epochs() {
    const double before = seconds();
    const std::vector<train::EpochOutcome> outcomes = epochs_->run();
    const double share =
        (seconds() - before) / static_cast<double>(outcomes.size());
    double now = before;
    for (const train::EpochOutcome& outcome : outcomes) {
      add(outcome, now += share);
    }
    save_when_due();
  }

  // Since the run began, resumed parts included.
  double seconds() const { return earlier_seconds_ + seconds_since(start_); }

  void restore() {
    auto saved = folder_.load();
    if (!saved) return;
    state_ = std::move(*saved);
    const std::filesystem::path file = hooks_.folder / "state.safetensors";
    load_state(*model_, state_.model, file);
    check_state(*model_, state_.best, file);
    step_.optimizer().load_state(state_.moments, state_.epoch);
    epochs_->resume(state_);
    earlier_seconds_ = state_.seconds;
  }

  void add(const train::EpochOutcome& outcome, double seconds) {
    if (!std::isfinite(outcome.loss)) {
      fail(
          "the loss became {} in epoch {} of split {}: training diverged. "
          "Lower --lr (now {}), raise --warmup or set --clip-norm 1; features "
          "far outside [-10, 10] are better normalised",
          outcome.loss, outcome.epoch, split_index_, options_.train.lr);
    }
    state_.epoch = outcome.epoch;
    if (train::is_better(outcome.val, state_.best_val, state_.best_epoch,
                         options_.train.metric)) {
      state_.best_epoch = outcome.epoch;
      state_.best_train = outcome.train;
      state_.best_val = outcome.val;
      state_.best_test = outcome.test;
    }
    tell(outcome, seconds);
  }

  void tell(const train::EpochOutcome& outcome, double seconds) {
    EpochReport report;
    report.split = split_index_;
    report.epoch = outcome.epoch;
    report.epochs = options_.train.epochs;
    report.lr = outcome.lr;
    report.loss = outcome.loss;
    report.train = outcome.train;
    report.val = outcome.val;
    report.test = outcome.test;
    report.best_epoch = state_.best_epoch;
    report.best_score = select(state_.best_val, options_.train.metric);
    report.seconds = seconds;
    const int64_t last = std::min(options_.train.epochs,
                                  state_.best_epoch + options_.train.patience);
    report.seconds_left = report.seconds / static_cast<double>(report.epoch) *
                          static_cast<double>(last - report.epoch);
    folder_.add_metrics(report);
    if (hooks_.on_epoch) hooks_.on_epoch(report);
  }

  void save_when_due() {
    if (!folder_.active()) return;
    if (seconds_since(last_save_) < options_.train.save_seconds) return;
    state_.model = train::copied_to_cpu(named_state(*model_));
    state_.moments = train::copied_to_cpu(step_.optimizer().state());
    state_.best = epochs_->best();
    state_.seconds = seconds();
    folder_.save_state(state_);
    write_checkpoint(state_.best);
    last_save_ = Clock::now();
  }

  void write_checkpoint(const train::TensorMap& best) const {
    Checkpoint about;
    about.options = options_;
    about.shape = shape_;
    about.class_names = data_.class_names;
    about.result = {{"dataset", data_.name},
                    {"fingerprint", data_.provenance.fingerprint},
                    {"split", split_index_},
                    {"epoch", state_.best_epoch},
                    {"train", to_json(state_.best_train)},
                    {"val", to_json(state_.best_val)},
                    {"test", to_json(state_.best_test)}};
    save_checkpoint(folder_.checkpoint_file(), best, about);
  }

  // Replaces the scores of the best epoch by those after Correct & Smooth.
  void correct_scores(const train::TensorMap& best, RunResult& result) {
    load_state(*model_, best, folder_.checkpoint_file());
    PredictionOptions wanted;
    wanted.split = split_index_;
    wanted.correct_smooth = options_.correct_smooth;
    train::EpochOutcome after;
    train::score_parts(predict(*model_, placed_, wanted).logits, data_,
                       split_index_, after);
    result.before_correct_smooth = {state_.best_train, state_.best_val,
                                    state_.best_test};
    state_.best_train = after.train;
    state_.best_val = after.val;
    state_.best_test = after.test;
  }

  RunResult finish() {
    RunResult result;
    const train::TensorMap best = epochs_->best();
    if (options_.correct_smooth.enabled) correct_scores(best, result);
    result.split = split_index_;
    result.seed = options_.train.seed;
    result.epochs = state_.epoch;
    result.best_epoch = state_.best_epoch;
    result.train = state_.best_train;
    result.val = state_.best_val;
    result.test = state_.best_test;
    result.seconds = seconds();
    result.peak_bytes = peak_memory_bytes();
    for (const auto& parameter : model_->parameters()) {
      result.num_parameters += parameter.numel();
    }
    if (folder_.active()) {
      result.checkpoint = folder_.checkpoint_file().string();
      write_checkpoint(best);
      folder_.finish(result);
    }
    return result;
  }

  const NodeDataset& data_;
  const int64_t split_index_;
  const RunOptions& options_;
  const TrainHooks& hooks_;
  const ModelShape shape_;
  const std::unique_ptr<NodeDataset> copy_;  ///< on another device than data_
  const NodeDataset& placed_;                ///< on the model's device
  std::shared_ptr<NodeModel> model_;
  train::TrainStep step_;
  train::RunFolder folder_;
  std::unique_ptr<train::Epochs> epochs_;
  train::TrainingState state_;
  double earlier_seconds_ = 0;
  Clock::time_point start_;
  Clock::time_point last_save_;
};

}  // namespace

RunResult train_split(const NodeDataset& data, int64_t split,
                      const RunOptions& options, const TrainHooks& hooks) {
  validate(options);
  if (split < 0 || split >= static_cast<int64_t>(data.splits.size())) {
    throw UsageError(fmt::format("'{}' has {} splits, there is no split {}",
                                 data.name, data.splits.size(), split));
  }
  return train::on_device(device_of(options), [&] {
#if ORDERED_GNN_HAS_CUDA
    std::optional<train::RunStream> stream;
    if (device_of(options).is_cuda()) stream.emplace();
#endif
    use_math(options);
    return SplitTrainer(data, split, options, hooks).run();
  });
}

}  // namespace ordered_gnn
