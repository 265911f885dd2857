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

/// One class against the rest by its log probability, the mean over the classes
/// that have a node and a node that is not theirs; NaN without such classes.
/// @param logits  [n, C].  @param truth  [n] int64, each in 0 .. C - 1.
RankedScores one_against_rest(const at::Tensor& logits,
                              const at::Tensor& truth);

}  // namespace ordered_gnn::training
