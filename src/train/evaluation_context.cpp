#include "train/evaluation_context.h"

#include <utility>

#include "train/known_labels.h"

namespace ordered_gnn::training {

EvaluationContext::EvaluationContext(const NodeModel& model,
                                     const NodeDataset& data, int64_t split,
                                     const PreparationOptions& options)
    : EvaluationContext(
          model, data,
          model.told_labels() ? training_labels(data, split) : KnownLabels{},
          options) {}

EvaluationContext::EvaluationContext(const NodeModel& model,
                                     const NodeDataset& data, KnownLabels known,
                                     const PreparationOptions& options)
    : preparation_(model.prepare(data, options)) {
  if (model.told_labels()) known_ = std::move(known);
}

ForwardContext EvaluationContext::forward() const {
  ForwardContext context;
  if (known_) context.known = &*known_;
  context.preparation = preparation_;
  return context;
}

}  // namespace ordered_gnn::training
