#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::training {

/// Scores that follow from an order of the nodes.
struct RankedScores {
  double roc_auc = 0;
  double average_precision = 0;
};

/// Of two groups, see roc_auc() and average_precision().
/// @param scores  [n].  @param truth  [n] int64.
/// @param positive  the value of `truth` that is looked for.
RankedScores ranked_scores(const at::Tensor& scores, const at::Tensor& truth,
                           int64_t positive);

/// What ROC-AUC of two groups is made of when pairs are counted.
struct RankedPairs {
  /// Pairs of a positive and a negative with the higher score at the positive,
  /// twice, and those with equal scores, once.
  int64_t twice_ordered = 0;
  bool has_nan = false;  ///< whether a score is no number
  int64_t positives = 0;
  int64_t negatives = 0;
};

/// The same bits as ranked_scores() of the same scores: both divide the same
/// whole number of half pairs, up to 2^53 of them.
double roc_auc_of_pairs(const RankedPairs& pairs);

/// One class against the rest by its log probability, the mean over the classes
/// that have a node and a node that is not theirs; NaN without such classes.
/// @param logits  [n, C].  @param truth  [n] int64, each in 0 .. C - 1.
RankedScores one_against_rest(const at::Tensor& logits,
                              const at::Tensor& truth);

}  // namespace ordered_gnn::training
