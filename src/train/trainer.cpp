#include "ordered_gnn/train/trainer.h"

#include <torch/types.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/train_step.h"
#include "train/run_folder.h"

namespace ordered_gnn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::map<std::string, at::Tensor> cloned(
    const std::map<std::string, at::Tensor>& state) {
  std::map<std::string, at::Tensor> out;
  for (const auto& [name, tensor] : state) out[name] = tensor.clone();
  return out;
}

// The settings that decide the bits of a run, for comparing two runs.
Json identity_of(const NodeDataset& data, int64_t split,
                 const RunOptions& options) {
  Json identity = run_identity(options, data.provenance.fingerprint);
  identity["split"] = split;
  return identity;
}

std::shared_ptr<NodeModel> on_device(std::shared_ptr<NodeModel> model,
                                     at::Device device) {
  if (!device.is_cpu()) model->to(device);
  return model;
}

// Null on the CPU, where the data can be used as it is.
std::unique_ptr<NodeDataset> copy_on(const NodeDataset& data,
                                     at::Device device) {
  if (device.is_cpu()) return nullptr;
  return std::make_unique<NodeDataset>(to_device(data, device));
}

class SplitTrainer {
 public:
  SplitTrainer(const NodeDataset& data, int64_t split,
               const RunOptions& options, const TrainHooks& hooks)
      : data_(data),
        split_index_(split),
        split_(data.splits.at(split)),
        options_(options),
        hooks_(hooks),
        shape_{data.features.num_features(), data.num_classes,
               data.features.kind()},
        copy_(copy_on(data, device_of(options))),
        input_(copy_ ? *copy_ : data),
        model_(on_device(create_model(options.model, shape_, options.network,
                                      options.train.seed),
                         device_of(options))),
        step_(*model_, input_, input_.splits.at(split), options.train),
        folder_(hooks.folder, identity_of(data, split, options)) {
    require_trainable(data, split_, fmt::format("split {}", split));
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
      restore();
    }
    folder_.open_metrics(state_.epoch);
    start_ = Clock::now();
    last_save_ = Clock::now();
    while (!finished()) run_epoch();
    return finish();
  }

 private:
  bool finished() const {
    return state_.epoch >= options_.train.epochs ||
           (state_.best_epoch > 0 &&
            state_.epoch - state_.best_epoch >= options_.train.patience);
  }

  void restore() {
    auto saved = folder_.load();
    if (!saved) return;
    state_ = std::move(*saved);
    const std::filesystem::path file = hooks_.folder / "state.safetensors";
    load_state(*model_, state_.model, file);
    step_.optimizer().load_state(state_.moments, state_.epoch);
    earlier_seconds_ = state_.seconds;
  }

  double train_step(int64_t epoch, double lr) {
    const double loss = step_.run(epoch, lr);
    if (!std::isfinite(loss)) {
      fail(
          "the loss became {} in epoch {} of split {}: training diverged. "
          "Lower --lr (now {}), raise --warmup or set --clip-norm 1; features "
          "far outside [-10, 10] are better normalised",
          loss, epoch, split_index_, options_.train.lr);
    }
    return loss;
  }

  void evaluate(EpochReport& report) {
    const torch::NoGradGuard no_grad;
    model_->eval();
    // Scores are counted on the CPU.
    const at::Tensor logits =
        model_->forward(input_.graph, input_.features, {}).to(at::kCPU);
    report.train = score_nodes(logits, data_.labels, split_.train);
    report.val = score_nodes(logits, data_.labels, split_.val);
    report.test = score_nodes(logits, data_.labels, split_.test);
  }

  void run_epoch() {
    EpochReport report;
    report.split = split_index_;
    report.epoch = state_.epoch + 1;
    report.epochs = options_.train.epochs;
    report.lr = learning_rate(options_.train, report.epoch);
    report.loss = train_step(report.epoch, report.lr);
    evaluate(report);
    state_.epoch = report.epoch;
    const Metric metric = options_.train.metric;
    if (state_.best_epoch == 0 ||
        select(report.val, metric) > select(state_.best_val, metric)) {
      state_.best_epoch = report.epoch;
      state_.best_train = report.train;
      state_.best_val = report.val;
      state_.best_test = report.test;
      state_.best = cloned(named_state(*model_));
    }
    tell(report);
    save_when_due();
  }

  void tell(EpochReport& report) {
    report.best_epoch = state_.best_epoch;
    report.best_score = select(state_.best_val, options_.train.metric);
    report.seconds = earlier_seconds_ + seconds_since(start_);
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
    state_.model = named_state(*model_);
    state_.moments = step_.optimizer().state();
    state_.seconds = earlier_seconds_ + seconds_since(start_);
    folder_.save_state(state_);
    write_checkpoint();
    last_save_ = Clock::now();
  }

  void write_checkpoint() const {
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
    save_checkpoint(folder_.checkpoint_file(), state_.best, about);
  }

  RunResult finish() {
    RunResult result;
    result.split = split_index_;
    result.seed = options_.train.seed;
    result.epochs = state_.epoch;
    result.best_epoch = state_.best_epoch;
    result.train = state_.best_train;
    result.val = state_.best_val;
    result.test = state_.best_test;
    result.seconds = earlier_seconds_ + seconds_since(start_);
    result.peak_bytes = peak_memory_bytes();
    for (const auto& parameter : model_->parameters()) {
      result.num_parameters += parameter.numel();
    }
    if (folder_.active()) {
      result.checkpoint = folder_.checkpoint_file().string();
      write_checkpoint();
      folder_.finish(result);
    }
    return result;
  }

  const NodeDataset& data_;
  const int64_t split_index_;
  const Split& split_;
  const RunOptions& options_;
  const TrainHooks& hooks_;
  const ModelShape shape_;
  const std::unique_ptr<NodeDataset> copy_;  ///< on another device than data_
  const NodeDataset& input_;                 ///< on the model's device
  std::shared_ptr<NodeModel> model_;
  TrainStep step_;
  detail::RunFolder folder_;
  detail::TrainingState state_;
  double earlier_seconds_ = 0;
  Clock::time_point start_;
  Clock::time_point last_save_;
};

}  // namespace

Json to_json(const RunResult& result) {
  return {{"split", result.split},
          {"seed", result.seed},
          {"epochs", result.epochs},
          {"best_epoch", result.best_epoch},
          {"train_accuracy", result.train.accuracy},
          {"val_accuracy", result.val.accuracy},
          {"test_accuracy", result.test.accuracy},
          {"train", to_json(result.train)},
          {"val", to_json(result.val)},
          {"test", to_json(result.test)},
          {"seconds", result.seconds},
          {"seconds_per_epoch",
           result.seconds / static_cast<double>(result.epochs)},
          {"peak_bytes", result.peak_bytes},
          {"num_parameters", result.num_parameters},
          {"checkpoint", result.checkpoint}};
}

RunResult run_result_from_json(const Json& json) {
  RunResult result;
  result.split = json.at("split").get<int64_t>();
  result.seed = json.at("seed").get<int64_t>();
  result.epochs = json.at("epochs").get<int64_t>();
  result.best_epoch = json.at("best_epoch").get<int64_t>();
  result.train = scores_from_json(json.at("train"));
  result.val = scores_from_json(json.at("val"));
  result.test = scores_from_json(json.at("test"));
  result.seconds = json.at("seconds").get<double>();
  result.peak_bytes = json.at("peak_bytes").get<int64_t>();
  result.num_parameters = json.at("num_parameters").get<int64_t>();
  result.checkpoint = json.at("checkpoint").get<std::string>();
  return result;
}

RunResult train_split(const NodeDataset& data, int64_t split,
                      const RunOptions& options, const TrainHooks& hooks) {
  validate(options);
  if (split < 0 || split >= static_cast<int64_t>(data.splits.size())) {
    throw UsageError(fmt::format("'{}' has {} splits, there is no split {}",
                                 data.name, data.splits.size(), split));
  }
  return SplitTrainer(data, split, options, hooks).run();
}

}  // namespace ordered_gnn
