#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::training {

/// What a model is told when it is evaluated on a dataset: the training labels
/// if it reads labels, what it has prepared if it prepares anything, else
/// nothing.
class EvaluationContext {
 public:
  /// @throws Error when the model reads labels and the data has no such split,
  ///         or no label in its training part.
  EvaluationContext(const NodeModel& model, const NodeDataset& data,
                    int64_t split, const PreparationOptions& options = {});
  /// With labels at hand.
  EvaluationContext(const NodeModel& model, const NodeDataset& data,
                    KnownLabels known, const PreparationOptions& options = {});

  /// Points into this object.
  ForwardContext forward() const;

  /// Whether there is nothing to tell the model.
  bool is_empty() const { return !known_ && preparation_ == nullptr; }

 private:
  std::optional<KnownLabels> known_;
  std::shared_ptr<const ModelPreparation> preparation_;
};

}  // namespace ordered_gnn::training
