#include <torch/types.h>

#include <cmath>
#include <limits>

#include "train/epochs.h"
#include "train/weight_average.h"

namespace ordered_gnn::training {
namespace {

Scores no_scores() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, nan, nan, nan, nan, nan};
}

class HostEpochs : public Epochs {
 public:
  explicit HostEpochs(const EpochsInput& input)
      : input_(input), average_(input.model, input.options.average_weights) {}

  void resume(const TrainingState& state) override {
    epoch_ = state.epoch;
    best_epoch_ = state.best_epoch;
    best_val_ = state.best_val;
    best_ = state.best;
    if (average_.is_active()) average_.set_values(state.average);
  }

  std::vector<EpochOutcome> run() override {
    EpochOutcome outcome;
    outcome.epoch = ++epoch_;
    outcome.lr = learning_rate(input_.options, epoch_);
    outcome.loss = input_.work.run(epoch_, outcome.lr);
    if (std::isfinite(outcome.loss)) finish(outcome);
    return {outcome};
  }

  TensorMap best() const override { return best_; }
  TensorMap average() const override {
    return copied_to_cpu(average_.values());
  }

 private:
  void finish(EpochOutcome& outcome) {
    const torch::NoGradGuard no_grad;
    if (average_.is_active()) average_.update(outcome.epoch);
    outcome.is_evaluated =
        is_evaluated(input_.options, outcome.epoch, best_epoch_);
    if (!outcome.is_evaluated) {
      outcome.train = outcome.val = outcome.test = no_scores();
      return;
    }
    input_.model.eval();
    average_.while_in_place([&] { score(outcome); });
  }

  // Whether the next epoch trains what is scored now, unless that is so good
  // that an end which was due is put off.
  bool goes_on(int64_t epoch) const {
    const TrainOptions& options = input_.options;
    const bool may_end =
        best_epoch_ > 0 && epoch - best_epoch_ >= options.patience;
    return epoch < options.epochs && !may_end && !average_.is_active();
  }

  void score(EpochOutcome& outcome) {
    const at::Tensor logits =
        goes_on(outcome.epoch) ? input_.work.evaluate_before(outcome.epoch + 1)
                               : input_.work.evaluate();
    const Metric metric = input_.options.metric;
    score_parts(logits.cpu(), input_.data, input_.split, metric, outcome);
    if (!is_better(outcome.val, best_val_, best_epoch_, metric)) return;
    best_epoch_ = outcome.epoch;
    best_val_ = outcome.val;
    best_ = copied_to_cpu(named_state(input_.model));
  }

  const EpochsInput input_;
  WeightAverage average_;
  int64_t epoch_ = 0;
  int64_t best_epoch_ = 0;
  Scores best_val_;
  TensorMap best_;
};

}  // namespace

std::unique_ptr<Epochs> make_host_epochs(const EpochsInput& input) {
  return std::make_unique<HostEpochs>(input);
}

TensorMap copied_to_cpu(const TensorMap& state) {
  TensorMap out;
  for (const auto& [name, tensor] : state) {
    out[name] = tensor.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
  }
  return out;
}

void score_parts(const at::Tensor& logits, const NodeDataset& data,
                 int64_t split, Metric metric, EpochOutcome& outcome) {
  const Split& parts = data.splits.at(split);
  const auto score = [&](const at::Tensor& nodes) {
    return quick_scores(logits, data.labels, nodes, metric);
  };
  outcome.train = score(parts.train);
  outcome.val = score(parts.val);
  outcome.test = score(parts.test);
}

}  // namespace ordered_gnn::training
