#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "ordered_gnn/train/options.h"

namespace ordered_gnn {

/// Scores of one set of nodes; fractions, but for the log loss. Unlabelled
/// nodes do not count; a set without labelled nodes scores NaN.
struct Scores {
  double accuracy = 0;
  double macro_f1 = 0;  ///< mean F1 over the classes that occur
  /// One class against the rest, the mean over the classes that have both a
  /// node and a node that is not theirs; NaN when none has.
  double roc_auc = 0;
  double balanced_accuracy = 0;  ///< mean recall over the classes of the nodes
  double average_precision = 0;  ///< mean over classes as that of roc_auc
  double log_loss = 0;           ///< lower is better
};

/// All scores.
/// @param logits  [N, C].  @param labels  [N] int64, -1 = unlabelled.
/// @param nodes   [n] int64, the nodes to score.
Scores score_nodes(const at::Tensor& logits, const at::Tensor& labels,
                   const at::Tensor& nodes);

/// The scores that are there in every epoch of training: those of counts (see
/// score_counts()), roc_auc of two classes, and `metric`; of more classes
/// roc_auc and average_precision come together. The others are NaN: they sort
/// all nodes once for every class.
Scores quick_scores(const at::Tensor& logits, const at::Tensor& labels,
                    const at::Tensor& nodes, Metric metric);

/// Nodes per class, [C] each: of class c and predicted as c, predicted as c, of
/// class c.
struct ClassCounts {
  const int64_t* hits;
  const int64_t* guessed;
  const int64_t* present;
  int64_t num_classes;
};

/// Accuracy, balanced accuracy and macro F1; counts say nothing about the other
/// scores: NaN.
Scores score_counts(const ClassCounts& counts);

/// Share of nodes whose largest logit (first one on ties) is their label.
double accuracy(const at::Tensor& predicted, const at::Tensor& labels);

/// Mean over the classes that occur as label or prediction of
/// 2 TP / (2 TP + FP + FN).
double macro_f1(const at::Tensor& predicted, const at::Tensor& labels,
                int64_t num_classes);

/// Mean over the classes that occur as label of TP / (TP + FN). NaN without
/// nodes.
double balanced_accuracy(const at::Tensor& predicted, const at::Tensor& labels,
                         int64_t num_classes);

/// Probability that a random node of class 1 scores above a random node of
/// another class, ties counting half. NaN when there are none of either, or a
/// score is NaN.
double roc_auc(const at::Tensor& scores, const at::Tensor& labels);

/// Area under precision over recall of class 1 by steps,
/// sum_k (R_k - R_{k-1}) P_k over the distinct scores from the highest to the
/// lowest, R and P being recall and precision of the nodes that score at least
/// as much. NaN as roc_auc().
double average_precision(const at::Tensor& scores, const at::Tensor& labels);

/// Mean of -log softmax(logits)[label], in double. NaN without nodes.
/// @param logits  [n, C].  @param labels  [n] int64, each in 0 .. C - 1.
double log_loss(const at::Tensor& logits, const at::Tensor& labels);

/// Whether less is better; of log_loss alone.
bool lower_is_better(Metric metric);

/// The score that the metric names.
double value_of(const Scores& scores, Metric metric);

/// What choosing by the metric makes as large as possible: value_of(), or its
/// negative where lower is better.
double select(const Scores& scores, Metric metric);

/// Scores that are no number become null.
nlohmann::json to_json(const Scores& scores);
/// Scores that older files do not have are NaN.
/// @throws nlohmann::json::exception without accuracy, macro_f1 or roc_auc.
Scores scores_from_json(const nlohmann::json& json);

}  // namespace ordered_gnn
