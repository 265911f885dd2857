#include "train/ranked_metrics.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "ordered_gnn/train/metrics.h"

namespace ordered_gnn {
namespace training {
namespace {

constexpr double kNoRank = std::numeric_limits<double>::quiet_NaN();

// Nodes with one and the same score.
struct ScoreRun {
  int64_t nodes = 0;
  int64_t positives = 0;
};

// From the lowest score to the highest; empty when one is no number, since such
// scores have no order.
std::vector<ScoreRun> runs_of(const at::Tensor& scores, const at::Tensor& truth,
                              int64_t positive) {
  const at::Tensor values = scores.to(at::kDouble).contiguous();
  const at::Tensor labels = truth.contiguous();
  const double* const score = values.data_ptr<double>();
  const int64_t* const label = labels.data_ptr<int64_t>();
  std::vector<int64_t> order(labels.numel());
  std::iota(order.begin(), order.end(), int64_t{0});
  if (std::any_of(score, score + order.size(),
                  [](double value) { return std::isnan(value); })) {
    return {};
  }
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return score[a] < score[b]; });
  std::vector<ScoreRun> runs;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || score[order[i]] != score[order[i - 1]]) runs.emplace_back();
    ++runs.back().nodes;
    runs.back().positives += label[order[i]] == positive;
  }
  return runs;
}

// By the rank sum of the positives, a run of equal scores sharing its mean
// rank.
double area_under_roc(const std::vector<ScoreRun>& runs, int64_t positives,
                      int64_t negatives) {
  double rank_sum = 0;
  int64_t begin = 0;
  for (const ScoreRun& run : runs) {
    const int64_t end = begin + run.nodes;
    rank_sum += static_cast<double>(run.positives) *
                (static_cast<double>(begin + end + 1) / 2.0);
    begin = end;
  }
  const auto p = static_cast<double>(positives);
  return (rank_sum - p * (p + 1) / 2) / (p * static_cast<double>(negatives));
}

double mean_precision(const std::vector<ScoreRun>& runs, int64_t positives) {
  double sum = 0;
  int64_t found = 0, seen = 0;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    found += run->positives;
    seen += run->nodes;
    sum += static_cast<double>(run->positives) * static_cast<double>(found) /
           static_cast<double>(seen);
  }
  return sum / static_cast<double>(positives);
}

}  // namespace

RankedScores ranked_scores(const at::Tensor& scores, const at::Tensor& truth,
                           int64_t positive) {
  const std::vector<ScoreRun> runs = runs_of(scores, truth, positive);
  int64_t positives = 0, negatives = 0;
  for (const ScoreRun& run : runs) {
    positives += run.positives;
    negatives += run.nodes - run.positives;
  }
  if (positives == 0 || negatives == 0) return {kNoRank, kNoRank};
  return {area_under_roc(runs, positives, negatives),
          mean_precision(runs, positives)};
}

double roc_auc_of_pairs(const RankedPairs& pairs) {
  if (pairs.has_nan || pairs.positives == 0 || pairs.negatives == 0) {
    return kNoRank;
  }
  return static_cast<double>(pairs.twice_ordered) / 2.0 /
         (static_cast<double>(pairs.positives) *
          static_cast<double>(pairs.negatives));
}

RankedScores one_against_rest(const at::Tensor& logits,
                              const at::Tensor& truth) {
  const at::Tensor log_probability =
      at::log_softmax(logits.to(at::kDouble), /*dim=*/1).t().contiguous();
  RankedScores sum;
  int64_t classes = 0;
  for (int64_t c = 0; c < logits.size(1); ++c) {
    const int64_t size = truth.eq(c).sum().item<int64_t>();
    if (size == 0 || size == truth.numel()) continue;
    const RankedScores scores = ranked_scores(log_probability[c], truth, c);
    sum.roc_auc += scores.roc_auc;
    sum.average_precision += scores.average_precision;
    ++classes;
  }
  if (classes == 0) return {kNoRank, kNoRank};
  const auto count = static_cast<double>(classes);
  return {sum.roc_auc / count, sum.average_precision / count};
}

}  // namespace training

double roc_auc(const at::Tensor& scores, const at::Tensor& labels) {
  return training::ranked_scores(scores, labels, 1).roc_auc;
}

double average_precision(const at::Tensor& scores, const at::Tensor& labels) {
  return training::ranked_scores(scores, labels, 1).average_precision;
}

}  // namespace ordered_gnn
