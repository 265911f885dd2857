#pragma once
#include <string>

#include "shared/checkpoint_arguments.h"

namespace ordered_gnn::cli {

/// What the checkpoint says of the nodes, or, of several, the mean of what they
/// say, see predict_together(). Members that read labels are told those of the
/// split they were trained on, or of `options.split` where that is not the
/// first one's.
Prediction ask(const LoadedCheckpoint& loaded, const NodeDataset& data,
               const PredictionOptions& options);

/// "gcn", or "ensemble of 3 (gcn, ordered_gnn)".
std::string model_text(const LoadedCheckpoint& loaded);

/// Of several checkpoints a list, an object with checkpoint, model, split and
/// seed for each; null for one.
Json ensemble_json(const LoadedCheckpoint& loaded);

/// Scores of a split say something only when no member has learnt from its
/// validation and test nodes.
/// @throws UsageError for members that were trained on other splits or data.
void require_one_split(const LoadedCheckpoint& loaded);

}  // namespace ordered_gnn::cli
