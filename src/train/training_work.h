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

  /// One training step with the model as it is.
  /// @return the loss before the update. When it is not finite, parameters and
  ///         moments stay as they are.
  virtual double run(int64_t epoch, double lr) = 0;

  /// Logits outside training, by the model as it is, of all nodes that the
  /// splits of the run's data number.
  virtual at::Tensor evaluate() = 0;

  virtual Adam& optimizer() = 0;
};

}  // namespace ordered_gnn::training
