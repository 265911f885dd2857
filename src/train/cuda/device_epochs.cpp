// An epoch, evaluation and bookkeeping included, is one replay. The host asks
// for several at a time and then reads what they left; how many it asks for
// follows from the patience that is left, so that no replay is in vain.
#include <c10/cuda/CUDAException.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "ordered_gnn/data/node_order.h"
#include "train/cuda/run_stream.h"
#include "train/cuda/scored_nodes.h"
#include "train/cuda/training_graph.h"
#include "train/epochs.h"
#include "train/weight_average.h"

namespace ordered_gnn::training {
namespace {

using Clock = std::chrono::steady_clock;
using cuda::EpochState;

// Epochs that wait on the device for the host at most, and how long it leaves
// them there: often enough for a lively display, and because a run that begins
// beside this one asks for memory, which waits for what is under way.
constexpr int64_t kMostEpochs = 256;
constexpr double kSecondsBetweenLooks = 0.02;
// How many of its epochs a run whose single ones take longer than that lets
// others begin before it goes on: however many they are, it must not stand
// still.
constexpr int64_t kMostEpochsBack = 50;

class DeviceEpochs : public Epochs {
 public:
  DeviceEpochs(const EpochsInput& input, TrainStep& step)
      : input_(input),
        step_(step),
        graph_(input.model, step, input.options,
               input.placed.features.scalar_type()),
        average_(input.model, input.options.average_weights),
        scores_on_host_(!ScoredNodes::can_score(input.data, input.split,
                                                input.options.metric)),
        scored_(input.placed, input.split, kMostEpochs,
                /*decides=*/!scores_on_host_) {
    for (const auto& [name, tensor] : named_state(input.model)) {
      best_[name] = tensor.clone();
    }
  }

  void resume(const TrainingState& state) override {
    const torch::NoGradGuard no_grad;
    for (const auto& [name, tensor] : state.best) best_.at(name).copy_(tensor);
    if (average_.is_active()) average_.set_values(state.average);
    best_val_ = state.best_val;
    seen_.epoch = state.epoch;
    seen_.best_epoch = state.best_epoch;
    seen_.best_score = select(state.best_val, input_.options.metric);
    graph_.set_state(seen_);
  }

  std::vector<EpochOutcome> run() override {
    if (!graph_.is_captured()) {
      graph_.capture([this] { evaluate(/*keep=*/false); },
                     [this] { evaluate(/*keep=*/true); });
    }
    if (seconds_ > kSecondsBetweenLooks) {
      stand_back_from_captures(std::chrono::milliseconds(
          static_cast<int64_t>(1e3 * seconds_ * kMostEpochsBack)));
    }
    const auto start = Clock::now();
    const int64_t first = seen_.epoch + 1;
    const int64_t count = next_count();
    for (int64_t i = 0; i < count; ++i) graph_.replay();
    EpochState now = graph_.state();
    std::vector<EpochOutcome> outcomes = scored_.outcomes(first, now.epoch);
    TORCH_INTERNAL_ASSERT(!outcomes.empty(), "the device ran no epoch");
    if (scores_on_host_) {
      now.best_epoch = seen_.best_epoch;
      keep_score(outcomes.back(), now);
    }
    seen_ = now;
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count() /
               static_cast<double>(count);
    return outcomes;
  }

  TensorMap best() const override { return copied_to_cpu(best_); }
  TensorMap average() const override {
    return copied_to_cpu(average_.values());
  }

 private:
  // Epochs that are run whatever their scores will be.
  int64_t next_count() const {
    const TrainOptions& options = input_.options;
    int64_t certain = options.epochs - seen_.epoch;
    if (seen_.best_epoch > 0) {
      certain =
          std::min(certain, seen_.best_epoch + options.patience - seen_.epoch);
    }
    if (scores_on_host_ || seconds_ == 0) return 1;
    const auto timely = static_cast<int64_t>(kSecondsBetweenLooks / seconds_);
    return std::max<int64_t>(1, std::min({certain, timely, kMostEpochs}));
  }

  // Logits of all nodes and what follows from them. Recorded, and called once
  // ahead of that without keeping anything.
  void evaluate(bool keep) {
    const torch::NoGradGuard no_grad;
    input_.model.eval();
    if (!average_.is_active()) {
      score(keep);
      return;
    }
    const TensorMap before = keep ? TensorMap() : average_.copies();
    average_.update(graph_.average_decay());
    average_.while_in_place([&] {
      graph_.refresh_stored();
      score(keep);
    });
    if (!keep) average_.set_values(before);
  }

  void score(bool keep) {
    logits_ = input_.model.forward(input_.placed.graph, input_.placed.features,
                                   step_.evaluation());
    if (!keep) return;
    EpochState* const state = graph_.device_state();
    scored_.count(logits_);
    scored_.end_epoch(state, graph_.loss(), input_.options);
    if (!scores_on_host_) copy_best(&state->improved);
  }

  void copy_best(const int64_t* flag) {
    cuda::CopyTable table;
    const TensorMap state = named_state(input_.model);
    for (const auto& [name, tensor] : state) {
      table.tensor[table.count++] = {tensor.data_ptr(),
                                     best_.at(name).data_ptr(),
                                     static_cast<int64_t>(tensor.nbytes()), 0};
      if (table.count < cuda::kCopyTensors) continue;
      C10_CUDA_CHECK(cuda::launch_copy_when(flag, table, current_stream()));
      table.count = 0;
    }
    if (table.count == 0) return;
    C10_CUDA_CHECK(cuda::launch_copy_when(flag, table, current_stream()));
  }

  // The scores and the decision that the device leaves to the host.
  void keep_score(EpochOutcome& outcome, EpochState& now) {
    if (!std::isfinite(outcome.loss)) return;
    const Metric metric = input_.options.metric;
    score_parts(in_loaded_order(input_.placed, logits_.cpu()), input_.data,
                input_.split, metric, outcome);
    if (!is_better(outcome.val, best_val_, now.best_epoch, metric)) return;
    const torch::NoGradGuard no_grad;
    best_val_ = outcome.val;
    now.best_epoch = outcome.epoch;
    // After a replay the model has the weights that training goes on from.
    const TensorMap kept =
        average_.is_active() ? average_.values() : named_state(input_.model);
    for (const auto& [name, tensor] : kept) best_.at(name).copy_(tensor);
  }

  const EpochsInput input_;
  TrainStep& step_;
  TrainingGraph graph_;
  WeightAverage average_;
  const bool scores_on_host_;
  ScoredNodes scored_;
  at::Tensor logits_;
  TensorMap best_;      ///< on the device
  Scores best_val_;     ///< where the host decides
  EpochState seen_;     ///< after the last replay
  double seconds_ = 0;  ///< of an epoch; 0: not known
};

}  // namespace

std::unique_ptr<Epochs> make_device_epochs(const EpochsInput& input,
                                           TrainStep& step) {
  return std::make_unique<DeviceEpochs>(input, step);
}

}  // namespace ordered_gnn::training
