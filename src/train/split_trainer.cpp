#include "train/split_trainer.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/prediction.h"
#include "train/checkpoint.h"
#include "train/class_match.h"
#include "train/data_path.h"
#include "train/neighbor_step.h"
#include "train/placement.h"

namespace ordered_gnn::training {
namespace {

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

// The settings that decide the bits of a run, for comparing two runs.
Json identity_of(const RunOptions& options, const std::string& fingerprint,
                 int64_t split, bool is_own_model) {
  Json identity = run_identity(options, fingerprint);
  identity["split"] = split;
  if (is_own_model) identity["own-model"] = true;
  return identity;
}

// Null where the data can be used as it is, and where the caller has a copy.
// What is computed elsewhere needs none.
std::unique_ptr<NodeDataset> copy_for(const SplitTask& task) {
  if (task.elsewhere != nullptr) return nullptr;
  if (task.hooks.placed != nullptr) return nullptr;
  if (takes_loaded_data(task.options.execution)) return nullptr;
  return std::make_unique<NodeDataset>(place(task.data, task.options));
}

const NodeDataset& placed_data(const SplitTask& task,
                               const std::unique_ptr<NodeDataset>& copy) {
  if (task.hooks.placed != nullptr) return *task.hooks.placed;
  return copy ? *copy : task.data;
}

std::unique_ptr<Epochs> make_epochs(const EpochsInput& input, Device device) {
#if ORDERED_GNN_HAS_CUDA
  // Without parameters there is one pass to make and nothing to record.
  if (device == Device::cuda && !input.model.parameters().empty()) {
    return make_device_epochs(input, dynamic_cast<TrainStep&>(input.work));
  }
#endif
  (void)device;
  return make_host_epochs(input);
}

// Names are no part of a fingerprint; a model has to keep its own.
void require_classes(const std::filesystem::path& file,
                     const std::vector<std::string>& then,
                     const NodeDataset& now) {
  if (same_classes(then, now.class_names)) return;
  fail_in(file,
          fmt::format("was trained on the classes {}, but those of '{}' are "
                      "now {}; give the classes their names back or start in "
                      "another folder",
                      class_list(then, now.num_classes), now.name,
                      class_list(now.class_names, now.num_classes)));
}

// A ranking of one class is no number, by which no epoch could be chosen.
void require_metric(const SplitTask& task) {
  const Metric metric = task.options.train.metric;
  if (metric != Metric::roc_auc && metric != Metric::average_precision) return;
  const NodeDataset& data = task.data;
  const at::Tensor labels =
      data.labels.index_select(0, data.splits.at(task.split).val);
  const at::Tensor known = labels.masked_select(labels.ge(0));
  if (known.ne(known[0]).any().item<bool>()) return;
  throw UsageError(fmt::format(
      "metric {} needs two classes to rank, but the {} labelled validation "
      "nodes of split {} of '{}' are all of one; use accuracy or log_loss, or "
      "other splits with --split-set",
      to_string(metric), known.numel(), task.split, data.name));
}

// Takes the scores that training does not compute in every epoch from `all`.
void fill_in(const Scores& all, Scores& scores) {
  for (double Scores::*score :
       {&Scores::roc_auc, &Scores::average_precision, &Scores::log_loss}) {
    if (std::isnan(scores.*score)) scores.*score = all.*score;
  }
}

}  // namespace

SplitTrainer::SplitTrainer(SplitTask task)
    : task_(std::move(task)),
      data_(task_.data),
      train_(task_.options.train),
      shape_(task_.elsewhere
                 ? task_.elsewhere->shape
                 : ModelShape{data_.features.num_features(), data_.num_classes,
                              data_.features.kind(), data_.num_nodes()}),
      copy_(copy_for(task_)),
      placed_(placed_data(task_, copy_)),
      model_(make_model()),
      work_(make_work()),
      identity_(identity_of(task_.options, data_.provenance.fingerprint,
                            task_.split, task_.own_model != nullptr)),
      folder_(task_.hooks.folder, identity_),
      data_path_(absolute_data_path(task_.options.data)) {
  require_metric(task_);
  state_.class_names = data_.class_names;
}

// The layout of the first weight follows the features it is used with.
ModelShape SplitTrainer::placed_shape() const {
  ModelShape shape = shape_;
  if (!task_.elsewhere) shape.features_kind = placed_.features.kind();
  return shape;
}

std::unique_ptr<TrainingWork> SplitTrainer::make_work() {
  if (task_.elsewhere) return task_.elsewhere->make_work(*model_);
  if (parse_batch(train_.batch).samples()) {
    return std::make_unique<NeighborStep>(
        *model_, placed_, placed_.splits.at(task_.split), task_.options);
  }
  return std::make_unique<TrainStep>(*model_, placed_,
                                     placed_.splits.at(task_.split), train_);
}

std::shared_ptr<NodeModel> SplitTrainer::make_model() const {
  std::shared_ptr<NodeModel> model =
      task_.own_model
          ? task_.own_model
          : create_model(task_.options.model, placed_shape(),
                         task_.options.network, task_.options.train.seed);
  // A model that others compute stays with its optimizer, on the CPU.
  if (!task_.elsewhere) place(*model, task_.options);
  return model;
}

Trained SplitTrainer::run() {
  if (task_.hooks.resume) {
    if (const auto done = folder_.finished()) return finished_before(*done);
  }
  epochs_ = make_epochs(
      {*model_, *work_, data_, placed_, task_.split, train_},
      task_.elsewhere ? Device::cpu : task_.options.execution.device);
  if (task_.hooks.resume) restore();
  if (const int64_t damaged = folder_.open_metrics(state_.epoch)) {
    note(fmt::format("{}: {} damaged line{} left out",
                     (task_.hooks.folder / "metrics.jsonl").string(), damaged,
                     damaged == 1 ? " was" : "s were"));
  }
  start_ = Clock::now();
  last_save_ = Clock::now();
  while (!finished()) {
    stop_when_asked();
    run_epochs();
  }
  return finish();
}

bool SplitTrainer::finished() const {
  return state_.epoch >= train_.epochs ||
         (state_.best_epoch > 0 &&
          state_.epoch - state_.best_epoch >= train_.patience);
}

// The next epochs; their shares of the time are taken to be equal.
void SplitTrainer::run_epochs() {
  const double before = seconds();
  const std::vector<EpochOutcome> outcomes = epochs_->run();
  const double share =
      (seconds() - before) / static_cast<double>(outcomes.size());
  double now = before;
  for (const EpochOutcome& outcome : outcomes) add(outcome, now += share);
  save_when_due();
}

// Since the run began, resumed parts included.
double SplitTrainer::seconds() const {
  return earlier_seconds_ + since(start_);
}

void SplitTrainer::restore() {
  auto saved = folder_.load(train_.epochs);
  if (!saved) return;
  const std::filesystem::path file = task_.hooks.folder / "state.safetensors";
  if (!saved->is_verified) note(no_checksum_note(file));
  if (saved->class_names) require_classes(file, *saved->class_names, data_);
  state_ = std::move(*saved);
  state_.class_names = data_.class_names;
  load_state(*model_, state_.model, file);
  if (state_.best_epoch > 0) check_state(*model_, state_.best, file);
  if (train_.average_weights > 0) check_state(*model_, state_.average, file);
  work_->optimizer().load_state(state_.moments,
                                work_->updates_of(state_.epoch));
  epochs_->resume(state_);
  earlier_seconds_ = state_.seconds;
}

void SplitTrainer::note(const std::string& sentence) const {
  if (task_.hooks.on_note) task_.hooks.on_note(sentence);
}

void SplitTrainer::add(const EpochOutcome& outcome, double seconds) {
  if (!std::isfinite(outcome.loss)) {
    fail(
        "the loss became {} in epoch {} of split {}: training diverged. "
        "Lower --lr (now {}), raise --warmup or set --clip-norm 1; features "
        "far outside [-10, 10] are better normalised",
        outcome.loss, outcome.epoch, task_.split, train_.lr);
  }
  state_.epoch = outcome.epoch;
  if (outcome.is_evaluated && is_better(outcome.val, state_.best_val,
                                        state_.best_epoch, train_.metric)) {
    state_.best_epoch = outcome.epoch;
    state_.best_train = outcome.train;
    state_.best_val = outcome.val;
    state_.best_test = outcome.test;
  }
  tell(outcome, seconds);
}

void SplitTrainer::tell(const EpochOutcome& outcome, double seconds) {
  EpochReport report;
  report.split = task_.split;
  report.epoch = outcome.epoch;
  report.epochs = train_.epochs;
  report.lr = outcome.lr;
  report.loss = outcome.loss;
  report.train = outcome.train;
  report.val = outcome.val;
  report.test = outcome.test;
  report.best_epoch = state_.best_epoch;
  report.best_score = state_.best_epoch > 0
                          ? value_of(state_.best_val, train_.metric)
                          : std::numeric_limits<double>::quiet_NaN();
  report.seconds = seconds;
  const int64_t last =
      state_.best_epoch > 0
          ? std::min(train_.epochs, state_.best_epoch + train_.patience)
          : train_.epochs;
  report.seconds_left = report.seconds / static_cast<double>(report.epoch) *
                        static_cast<double>(last - report.epoch);
  folder_.add_metrics(report);
  if (task_.hooks.on_epoch) task_.hooks.on_epoch(report);
}

void SplitTrainer::stop_when_asked() {
  const auto& should_stop = task_.hooks.should_stop;
  if (!should_stop || !should_stop()) return;
  const bool keeps = folder_.active() && state_.epoch > 0;
  if (keeps) save();
  throw Interrupted(fmt::format(
      "split {} was stopped after epoch {} of {}; {}", task_.split,
      state_.epoch, train_.epochs,
      keeps ? fmt::format("its state is in {}, from which it goes on when it "
                          "is resumed",
                          task_.hooks.folder.string())
            : "nothing of it was kept"));
}

void SplitTrainer::save_when_due() {
  if (!folder_.active()) return;
  if (since(last_save_) >= train_.save_seconds) save();
}

// All that is needed to go on, and the best model so far.
void SplitTrainer::save() {
  state_.model = copied_to_cpu(named_state(*model_));
  state_.moments = copied_to_cpu(work_->optimizer().state());
  state_.best = epochs_->best();
  state_.average = epochs_->average();
  state_.seconds = seconds();
  folder_.save_state(state_);
  // Before the first evaluation no epoch is the best one.
  if (state_.best_epoch > 0) {
    write_checkpoint(folder_.checkpoint_file(), state_.best, about());
  }
  last_save_ = Clock::now();
}

// Everything but the model, with the scores of the best epoch so far.
Trained SplitTrainer::about() const {
  Trained out;
  out.options = task_.options;
  out.shape = shape_;
  out.class_names = data_.class_names;
  out.feature_names = data_.feature_names;
  out.columns = data_.columns;
  out.dataset = data_.name;
  out.fingerprint = data_.provenance.fingerprint;
  out.data_path = data_path_;
  out.has_edge_weights = data_.graph.weights().defined();
  out.is_own_model = task_.own_model != nullptr;
  out.result.split = task_.split;
  out.result.seed = train_.seed;
  out.result.epochs = state_.epoch;
  out.result.best_epoch = state_.best_epoch;
  out.result.train = state_.best_train;
  out.result.val = state_.best_val;
  out.result.test = state_.best_test;
  return out;
}

// A run that ended in the folder earlier, if it is this one.
Trained SplitTrainer::finished_before(const RunResult& result) const {
  const std::filesystem::path file = folder_.checkpoint_file();
  Trained out = task_.own_model ? load_trained(file, task_.own_model)
                                : load_trained(file);
  if (identity_of(out.options, out.fingerprint, out.result.split,
                  out.is_own_model) != identity_) {
    fail_in(file,
            "was trained on other data or with other settings; resume with the "
            "same ones or start in another folder");
  }
  require_classes(file, out.class_names, data_);
  if (!out.is_verified) note(no_checksum_note(file));
  out.result = result;
  return out;
}

SplitScores SplitTrainer::all_scores(const at::Tensor& logits) const {
  const Split& parts = data_.splits.at(task_.split);
  return {score_nodes(logits, data_.labels, parts.train),
          score_nodes(logits, data_.labels, parts.val),
          score_nodes(logits, data_.labels, parts.test)};
}

// Of the best epoch, whose parameters the model has, training has scored only
// what costs little.
void SplitTrainer::complete_scores(RunResult& result) {
  const SplitScores all = all_scores(work_->evaluate().cpu());
  fill_in(all.train, result.train);
  fill_in(all.val, result.val);
  fill_in(all.test, result.test);
}

// Replaces the scores of the best epoch, whose parameters the model has, by
// those after Correct & Smooth.
void SplitTrainer::correct_scores(RunResult& result) {
  PredictionOptions wanted;
  wanted.split = task_.split;
  wanted.correct_smooth = task_.options.correct_smooth;
  const SplitScores after =
      all_scores(predict(*model_, placed_, wanted).logits);
  result.before_correct_smooth = {result.train, result.val, result.test};
  result.train = after.train;
  result.val = after.val;
  result.test = after.test;
}

Trained SplitTrainer::finish() {
  const TensorMap best = epochs_->best();
  epochs_.reset();
  load_state(*model_, best, folder_.checkpoint_file());
  Trained out = about();
  complete_scores(out.result);
  if (task_.options.correct_smooth.enabled) correct_scores(out.result);
  out.result.seconds = seconds();
  out.result.peak_bytes = peak_memory_bytes();
  for (const auto& parameter : model_->parameters()) {
    out.result.num_parameters += parameter.numel();
  }
  if (folder_.active()) {
    out.result.checkpoint = folder_.checkpoint_file().string();
    write_checkpoint(folder_.checkpoint_file(), best, out);
    folder_.finish(out.result);
  }
  model_->to(at::kCPU);
  model_->eval();
  out.model = model_;
  return out;
}

}  // namespace ordered_gnn::training
