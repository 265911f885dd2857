#include "train/evaluation_context.h"

#include <utility>

#include "train/known_labels.h"

namespace ordered_gnn::training {

EvaluationContext::EvaluationContext(const NodeModel& model,
                                     const NodeDataset& data, int64_t split)
    : EvaluationContext(
          model, data,
          model.told_labels() ? training_labels(data, split) : KnownLabels{}) {}

EvaluationContext::EvaluationContext(const NodeModel& model,
                                     const NodeDataset& data,
                                     KnownLabels known) {
  if (model.told_labels()) known_ = std::move(known);
  if (const auto embedding = model.embedding()) {
    latent_ = latent_space_of(data, *embedding);
  }
}

ForwardContext EvaluationContext::forward() const {
  ForwardContext context;
  if (known_) context.known = &*known_;
  if (latent_) context.latent = &*latent_;
  return context;
}

bool EvaluationContext::is_needed(const NodeModel& model) {
  return model.told_labels().has_value() || model.embedding().has_value();
}

}  // namespace ordered_gnn::training
