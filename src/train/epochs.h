#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/metrics.h"
#include "train/model_state.h"
#include "train/run_folder.h"
#include "train/train_step.h"

namespace ordered_gnn::training {

/// What one epoch gave.
struct EpochOutcome {
  int64_t epoch = 0;  ///< from 1
  double lr = 0;
  double loss = 0;  ///< not finite: nothing was updated, the scores say nothing
  bool is_evaluated = true;  ///< see is_evaluated(); otherwise no scores: NaN
  Scores train, val, test;
};

/// What the epochs of a run work on; all of it must outlive them.
struct EpochsInput {
  NodeModel& model;
  TrainingWork& work;
  const NodeDataset& data;    ///< on the CPU
  const NodeDataset& placed;  ///< on the model's device
  int64_t split;
  const TrainOptions& options;
};

/// The epochs of one run, training and evaluation, and the parameters of the
/// best of them.
class Epochs {
 public:
  virtual ~Epochs() = default;

  /// Goes on behind a saved state; model and optimiser hold theirs already.
  virtual void resume(const TrainingState& state) = 0;

  /// The next epochs, at least one and none that the options' epochs and
  /// patience exclude. A loss that is not finite ends the list.
  virtual std::vector<EpochOutcome> run() = 0;

  /// Parameters and buffers of the first epoch with the best validation score,
  /// on the CPU; with averaged weights the averages.
  virtual TensorMap best() const = 0;

  /// The averaged weights as they are now, on the CPU; empty without.
  virtual TensorMap average() const = 0;
};

/// One epoch at a time, scored on the CPU, on any device.
std::unique_ptr<Epochs> make_host_epochs(const EpochsInput& input);

/// Every epoch a replay of one CUDA graph of the step's. Only in builds with
/// CUDA.
std::unique_ptr<Epochs> make_device_epochs(const EpochsInput& input,
                                           TrainStep& step);

/// Whether scores of an epoch make it the best one.
inline bool is_better(const Scores& scores, const Scores& best,
                      int64_t best_epoch, Metric metric) {
  return best_epoch == 0 || select(scores, metric) > select(best, metric);
}

/// Copies that later changes do not reach.
TensorMap copied_to_cpu(const TensorMap& state);

/// quick_scores() of the three parts of a split from the logits of all nodes.
void score_parts(const at::Tensor& logits, const NodeDataset& data,
                 int64_t split, Metric metric, EpochOutcome& outcome);

}  // namespace ordered_gnn::training
