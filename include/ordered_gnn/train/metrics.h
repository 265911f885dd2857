#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "ordered_gnn/train/options.h"

namespace ordered_gnn {

/// Scores of one set of nodes, as fractions. Unlabelled nodes do not count; a
/// set without labelled nodes scores NaN.
struct Scores {
  double accuracy = 0;
  double macro_f1 = 0;  ///< mean F1 over the classes that occur
  double roc_auc = 0;   ///< NaN unless there are two classes, both present
};

/// @param logits  [N, C].  @param labels  [N] int64, -1 = unlabelled.
/// @param nodes   [n] int64, the nodes to score.
Scores score_nodes(const at::Tensor& logits, const at::Tensor& labels,
                   const at::Tensor& nodes);

/// Nodes per class, [C] each: of class c and predicted as c, predicted as c, of
/// class c.
struct ClassCounts {
  const int64_t* hits;
  const int64_t* guessed;
  const int64_t* present;
  int64_t num_classes;
};

/// The same scores from counts alone, which say nothing about roc_auc: NaN.
Scores score_counts(const ClassCounts& counts);

/// Share of nodes whose largest logit (first one on ties) is their label.
double accuracy(const at::Tensor& predicted, const at::Tensor& labels);

/// Mean over the classes that occur as label or prediction of
/// 2 TP / (2 TP + FP + FN).
double macro_f1(const at::Tensor& predicted, const at::Tensor& labels,
                int64_t num_classes);

/// Probability that a random node of class 1 scores above a random node of
/// class 0, ties counting half. NaN when a class is absent.
double roc_auc(const at::Tensor& scores, const at::Tensor& labels);

double select(const Scores& scores, Metric metric);

nlohmann::json to_json(const Scores& scores);
Scores scores_from_json(const nlohmann::json& json);

}  // namespace ordered_gnn
