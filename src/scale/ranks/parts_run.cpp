#include "scale/ranks/parts_run.h"

#include <torch/types.h>

#include <cmath>
#include <exception>
#include <utility>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "scale/ranks/commands.h"
#include "scale/ranks/handshake.h"
#include "scale/spill/shared_disk.h"
#include "train/batch_choice.h"
#include "train/class_match.h"
#include "train/class_weights.h"
#include "train/known_labels.h"
#include "train/optimizer_groups.h"
#include "train/split_trainer.h"
#include "train/train_validated.h"

namespace ordered_gnn::scale {
namespace {

// Rows as parts give them, in the order of the scored nodes.
at::Tensor in_order(const ScoredNodes& scored, const at::Tensor& rows) {
  return torch::empty_like(rows).index_copy_(0, scored.place, rows);
}

// While it lives all ranks carry out a command. One that an exception ends
// stays under way: the others wait in its midst and hear no other.
class UnderWay : NonCopyable {
 public:
  explicit UnderWay(bool& is_under_way)
      : is_under_way_(is_under_way), exceptions_(std::uncaught_exceptions()) {
    is_under_way_ = true;
  }
  ~UnderWay() {
    if (std::uncaught_exceptions() == exceptions_) is_under_way_ = false;
  }

 private:
  bool& is_under_way_;
  const int exceptions_;
};

// The epochs of a run whose passes all ranks compute together; Adam is rank
// 0's.
class PartsWork : public training::TrainingWork {
 public:
  PartsWork(Group& group, bool& is_under_way, RankWork& work,
            const ScoredNodes& scored, int64_t split,
            const TrainOptions& options, NodeModel& model)
      : group_(group),
        is_under_way_(is_under_way),
        work_(work),
        scored_(scored),
        options_(options),
        model_(model),
        adam_(training::optimizer_groups(model, options)) {
    LossTerms terms = terms_of(split);
    const UnderWay command(is_under_way_);
    tell(group_, {CommandKind::split, 0});
    share_loss(group_, scored.data.num_classes, terms);
    work_.use_model(model_);
    work_.use_loss(terms);
  }

  double run(int64_t epoch, double lr) override {
    work_.begin_epoch();
    double mean = 0;
    for (int64_t i = 0; i < work_.steps_per_epoch(); ++i) {
      const RankWork::StepLoss step = step_of(epoch, i);
      if (!std::isfinite(step.loss)) return step.loss;
      if (options_.clip_norm > 0) adam_.clip_gradients(options_.clip_norm);
      adam_.step(lr);
      mean += step.share * step.loss;
    }
    return mean;
  }

  int64_t updates_of(int64_t epochs) const override {
    return epochs * work_.steps_per_epoch();
  }

  at::Tensor evaluate() override {
    const UnderWay command(is_under_way_);
    tell(group_, {CommandKind::evaluate, 0});
    share_parameters(group_, model_);
    return in_order(scored_, work_.evaluate());
  }

  at::Tensor evaluate_before(int64_t next) override {
    if (!work_.can_do_both()) return evaluate();
    const UnderWay command(is_under_way_);
    tell(group_, {CommandKind::both, next});
    share_parameters(group_, model_);
    RankWork::Both both = work_.evaluate_and_step(next);
    ahead_ = {next, both.step};
    return in_order(scored_, both.logits);
  }

  training::Adam& optimizer() override { return adam_; }

 private:
  // A step that was computed ahead has left its gradients in the model.
  RankWork::StepLoss step_of(int64_t epoch, int64_t index) {
    const StepAhead ahead = std::exchange(ahead_, {});
    return ahead.epoch == epoch ? ahead.loss : step_together(epoch, index);
  }

  RankWork::StepLoss step_together(int64_t epoch, int64_t index) {
    const UnderWay command(is_under_way_);
    tell(group_, {CommandKind::step, epoch});
    share_parameters(group_, model_);
    return work_.step(epoch, index);
  }

  LossTerms terms_of(int64_t split) const {
    const NodeDataset& data = scored_.data;
    const KnownLabels known =
        training::training_labels(data, data.splits.at(split));
    LossTerms terms;
    terms.split = split;
    terms.weights =
        training::class_weights(options_.class_weights, data, known);
    terms.total_weight = terms.weights.defined()
                             ? terms.weights.index_select(0, known.labels)
                                   .sum(torch::kDouble)
                                   .item<double>()
                             : static_cast<double>(known.nodes.numel());
    return terms;
  }

  struct StepAhead {
    int64_t epoch = 0;  ///< 0: there is none
    RankWork::StepLoss loss;
  };

  Group& group_;
  bool& is_under_way_;
  RankWork& work_;
  const ScoredNodes& scored_;
  const TrainOptions options_;
  NodeModel& model_;
  training::Adam adam_;
  StepAhead ahead_;
};

template <typename Choice>
void require_choice(const char* option, const std::optional<Choice>& chosen,
                    const Choice& is) {
  if (!chosen || *chosen == is) return;
  throw UsageError(fmt::format(
      "--{} {} does not fit the parts, which were made with {}; leave it out, "
      "or make other parts with 'ognn partition --{} {}'",
      option, to_string(*chosen), to_string(is), option, to_string(*chosen)));
}

void require_batch_of(const RunOptions& options,
                      const PartsManifest& manifest) {
  if (training::parse_batch(options.train.batch).samples()) {
    throw UsageError(fmt::format(
        "--batch {}: neighbours are drawn on a graph in memory; give the graph "
        "itself as --data, or take batches of parts with --batch parts:N",
        options.train.batch));
  }
  const int64_t parts = training::parse_batch(options.train.batch).parts;
  if (parts <= manifest.num_parts()) return;
  throw UsageError(fmt::format(
      "--batch {}: there are {} parts; take fewer, or cut the graph into more "
      "with 'ognn partition --parts {}'",
      options.train.batch, manifest.num_parts(), 2 * parts));
}

RankWork::PartSource files_of(const RankTask& task) {
  return
      [&](int64_t part) { return read_part(task.folder, task.manifest, part); };
}

// The group once its ranks agree.
Group& introduced(const RankTask& task) {
  compare_facts(task.group, rank_facts(task.options, task.manifest, task.wire,
                                       task.spill != nullptr));
  if (task.spill != nullptr) {
    const PartRange parts =
        range_of_rank(rank_bounds(task.manifest.bounds, task.group.size()),
                      task.group.rank());
    require_no_objection(
        task.group,
        spill_objection(task.manifest, parts, task.options, *task.spill));
    require_disk_room(task.group,
                      disk_claim(task.spill->folder,
                                 surely_spilled(task.manifest, parts,
                                                task.options, *task.spill)));
  }
  return task.group;
}

}  // namespace

void require_parts_options(const RunOptions& options,
                           const PartsManifest& manifest) {
  const std::string why = why_no_parts(options.model, options.network);
  if (!why.empty()) throw UsageError(why);
  const auto refuse = [](bool is_asked, const char* what) {
    if (!is_asked) return;
    throw UsageError(
        fmt::format("{} does not work over parts of a graph", what));
  };
  refuse(options.execution.math == Math::bf16, "--math bf16");
  refuse(options.execution.math == Math::tf32, "--math tf32");
  refuse(options.execution.reorder != NodeOrder::none, "--reorder");
  refuse(options.train.drop_edge > 0, "--drop-edge");
  refuse(options.train.checkpoint_layers &&
             options.execution.device != Device::cpu,
         "--checkpoint-layers with --device cuda");
  refuse(options.correct_smooth.enabled, "Correct & Smooth");
  refuse(options.execution.workers != 1,
         "--workers: splits are trained one "
         "after the other, so anything but 1");
  refuse(options.execution.pin, "--pin");
  refuse(options.data.format != DataOptions().format, "--format");
  refuse(!options.data.split_file.empty(), "--split-file");
  refuse(options.data.split_seed != DataOptions().split_seed, "--split-seed");
  refuse(!options.data.unlabelled.empty(), "--unlabelled");
  refuse(options.data.missing_columns != DataOptions().missing_columns,
         "--missing-columns");
  require_batch_of(options, manifest);
  if (options.data.split_set != "auto" &&
      options.data.split_set != manifest.split_set) {
    throw UsageError(fmt::format(
        "--split-set {}: the parts have the splits {}, which 'ognn partition' "
        "fixed",
        options.data.split_set, manifest.split_set));
  }
}

void require_batch_ranks(const RunOptions& options, int64_t ranks, Wire wire,
                         bool spills) {
  if (!training::parse_batch(options.train.batch).in_parts()) return;
  if (options.execution.device != Device::cpu) {
    throw UsageError(fmt::format(
        "--batch {} with --device cuda: batches of parts are computed on CPUs; "
        "leave one of them out",
        options.train.batch));
  }
  if (ranks > 1) {
    throw UsageError(fmt::format(
        "--batch {}: batches are computed by one rank, which has the history "
        "of all parts; leave out --ranks, or --batch to share steps on the "
        "whole graph among ranks",
        options.train.batch));
  }
  if (wire != Wire::fp32) {
    throw UsageError(fmt::format(
        "--wire {} is for rows between ranks, and --batch {} has one rank; "
        "leave one of them out",
        to_string(wire), options.train.batch));
  }
  if (options.train.checkpoint_layers) {
    throw UsageError(fmt::format(
        "--batch {} counts the rows that layers fetch, and --checkpoint-layers "
        "fetches some of them twice; leave one of them out",
        options.train.batch));
  }
  if (spills) {
    throw UsageError(fmt::format(
        "--batch {} keeps parts and history in memory, so that --memory cannot "
        "limit it; leave one of them out",
        options.train.batch));
  }
}

void require_fit(const Trained& trained, const PartsManifest& manifest,
                 const std::string& file) {
  if (trained.shape.num_features != manifest.num_features) {
    fail_in(file, fmt::format("reads {} features, and the parts of '{}' have "
                              "{}",
                              trained.shape.num_features, manifest.name,
                              manifest.num_features));
  }
  if (trained.shape.num_classes != manifest.num_classes ||
      !training::same_classes(trained.class_names, manifest.class_names)) {
    fail_in(file, fmt::format("knows other classes than the parts of '{}' "
                              "have; use it on the data that they were made "
                              "of, where classes are matched by name",
                              manifest.name));
  }
}

void take_treatment(const PartsManifest& manifest, const TreatmentChoice& said,
                    RunOptions& options) {
  require_choice("direction", said.direction, manifest.treatment.direction);
  require_choice("self-loops", said.self_loops, manifest.treatment.self_loops);
  require_choice("features", said.features, manifest.treatment.features);
  options.data.treatment = TreatmentChoice(manifest.treatment);
}

at::Device RankTask::device() const {
  if (options.execution.device == Device::cpu) return at::kCPU;
  return {at::kCUDA, static_cast<c10::DeviceIndex>(gpu)};
}

PartsRun::PartsRun(const RankTask& task, const ScoredNodes& scored)
    : group_(introduced(task)),
      scored_(scored),
      work_(task.group, files_of(task), task.manifest, task.options,
            task.threads, task.wire, task.spill, task.device()) {}

PartsRun::~PartsRun() {
  // Nobody would hear it, and an engine may wait until somebody does.
  if (is_under_way_) return;
  try {
    tell(group_, {CommandKind::stop, 0});
  } catch (const std::exception&) {
    // Whoever is gone needs no farewell.
  }
}

Trained PartsRun::train(int64_t split, const RunOptions& options,
                        const TrainHooks& hooks) {
  require_batch_ranks(options, group_.size(), Wire::fp32,
                      work_.spill_room() != nullptr);
  training::ElsewhereWork elsewhere;
  elsewhere.shape = work_.shape();
  elsewhere.make_work = [&](NodeModel& model) {
    return std::make_unique<PartsWork>(group_, is_under_way_, work_, scored_,
                                       split, options.train, model);
  };
  return training::train_elsewhere(scored_.data, split, options, hooks,
                                   elsewhere);
}

at::Tensor PartsRun::score(NodeModel& model) {
  work_.use_model(model);
  const UnderWay command(is_under_way_);
  tell(group_, {CommandKind::evaluate, 0});
  share_parameters(group_, model);
  return in_order(scored_, work_.evaluate());
}

void PartsRun::predict(NodeModel& model, const RankWork::OnPart& on_part) {
  work_.use_model(model);
  const UnderWay command(is_under_way_);
  tell(group_, {CommandKind::predict, 0});
  share_parameters(group_, model);
  work_.predict(on_part);
}

GraphExplanation PartsRun::explain(NodeModel& model, int64_t split) {
  work_.use_model(model);
  const UnderWay command(is_under_way_);
  tell(group_, {CommandKind::explain, split});
  share_parameters(group_, model);
  return work_.explain(split);
}

WireCount PartsRun::wire_count() {
  const UnderWay command(is_under_way_);
  tell(group_, {CommandKind::count, 0});
  return add_up(group_, work_.sent());
}

void serve_parts(const RankTask& task) {
  RankWork work(introduced(task), files_of(task), task.manifest, task.options,
                task.threads, task.wire, task.spill, task.device());
  const std::shared_ptr<NodeModel> model =
      create_model(task.options.model, work.shape(), task.options.network,
                   task.options.train.seed);
  // Which parameters have gradients.
  training::optimizer_groups(*model, task.options.train);
  serve(task.group, work, *model, task.manifest.num_classes);
}

}  // namespace ordered_gnn::scale
