#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "train/adam.h"

namespace ordered_gnn::training {

/// What the epochs of a run consist of, wherever it is computed: on a dataset
/// in memory, or over parts of a graph by several processes.
class TrainingWork {
 public:
  virtual ~TrainingWork() = default;

  /// The training steps of an epoch, mostly one, with the model as it is.
  /// @return the loss before the update. When it is not finite, parameters and
  ///         moments stay as they are; of several steps the mean loss, and the
  ///         first that is not finite ends them.
  virtual double run(int64_t epoch, double lr) = 0;

  /// Logits outside training, by the model as it is, of all nodes that the
  /// splits of the run's data number.
  virtual at::Tensor evaluate() = 0;

  /// evaluate() before run(next): both read the model as it is, so that the
  /// training step may be computed along with it, for run(next) to take. When
  /// there is no such run, it was in vain.
  virtual at::Tensor evaluate_before(int64_t /*next*/) { return evaluate(); }

  virtual Adam& optimizer() = 0;

  /// Updates of the parameters that so many epochs make.
  virtual int64_t updates_of(int64_t epochs) const { return epochs; }
};

}  // namespace ordered_gnn::training
