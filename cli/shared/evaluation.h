#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/explain/part_scores.h"
#include "ordered_gnn/train/calibration.h"
#include "ordered_gnn/train/metrics.h"
#include "ordered_gnn/train/prediction.h"

namespace ordered_gnn::cli {

/// How right a model is on one part of the nodes.
struct EvaluatedPart {
  std::string name;  ///< "train", "val", "test" or "labelled"
  Scores scores;
  double loss = 0;     ///< mean log loss
  double brier = 0;    ///< see brier_score()
  PartScores details;  ///< by class, confusion, calibration
  /// Expected calibration error without the temperature, where there is one.
  std::optional<double> error_before;
};

/// Nodes to evaluate, under a name.
struct NamedNodes {
  std::string name;
  at::Tensor nodes;  ///< [n] int64
};

/// @param labels  [N] int64 in the classes of the prediction, -1 = unlabelled.
/// @param temperature  by which probabilities and losses are scaled.
std::vector<EvaluatedPart> evaluate_parts(
    const Prediction& prediction, const at::Tensor& labels,
    const std::vector<NamedNodes>& parts,
    const std::optional<Temperature>& temperature);

/// The scores of metrics.h and: nodes labelled loss brier mean_confidence
/// calibration_error (calibration_error_before) classes[] confusion[][]
/// calibration[]; docs/decisions.md says what they mean.
Json to_json(const EvaluatedPart& part,
             const std::vector<std::string>& classes);

}  // namespace ordered_gnn::cli
