#pragma once
#include <cstdint>
#include <optional>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/latent_space.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::training {

/// What a model is told when it is evaluated on a dataset: the training labels
/// if it reads labels, the layout of the graph if it reads one, else nothing.
class EvaluationContext {
 public:
  /// @throws Error when the model reads labels and the data has no such split,
  ///         or no label in its training part.
  EvaluationContext(const NodeModel& model, const NodeDataset& data,
                    int64_t split);
  /// With labels at hand.
  EvaluationContext(const NodeModel& model, const NodeDataset& data,
                    KnownLabels known);

  /// Points into this object.
  ForwardContext forward() const;

  /// Whether there is anything to tell the model.
  static bool is_needed(const NodeModel& model);

 private:
  std::optional<KnownLabels> known_;
  std::optional<LatentSpace> latent_;
};

}  // namespace ordered_gnn::training
