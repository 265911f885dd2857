#include "ordered_gnn/train/metrics.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace ordered_gnn {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

nlohmann::json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

double number_or_nan(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : kNaN;
}

double macro_f1_of(const ClassCounts& counts) {
  double total = 0;
  int64_t classes = 0;
  for (int64_t c = 0; c < counts.num_classes; ++c) {
    const int64_t all = counts.guessed[c] + counts.present[c];
    if (all == 0) continue;
    total +=
        2.0 * static_cast<double>(counts.hits[c]) / static_cast<double>(all);
    ++classes;
  }
  return classes == 0 ? kNaN : total / static_cast<double>(classes);
}

}  // namespace

Scores score_counts(const ClassCounts& counts) {
  const auto sum = [&](const int64_t* values) {
    return static_cast<double>(
        std::accumulate(values, values + counts.num_classes, int64_t{0}));
  };
  const double nodes = sum(counts.present);
  Scores out;
  out.accuracy = nodes == 0 ? kNaN : sum(counts.hits) / nodes;
  out.macro_f1 = macro_f1_of(counts);
  out.roc_auc = kNaN;
  return out;
}

double accuracy(const at::Tensor& predicted, const at::Tensor& labels) {
  if (labels.numel() == 0) return kNaN;
  const int64_t right = predicted.eq(labels).sum().item<int64_t>();
  return static_cast<double>(right) / static_cast<double>(labels.numel());
}

double macro_f1(const at::Tensor& predicted, const at::Tensor& labels,
                int64_t num_classes) {
  std::vector<int64_t> hits(num_classes), guessed(num_classes),
      present(num_classes);
  const int64_t* const guess = predicted.data_ptr<int64_t>();
  const int64_t* const truth = labels.data_ptr<int64_t>();
  for (int64_t i = 0; i < labels.numel(); ++i) {
    ++guessed[guess[i]];
    ++present[truth[i]];
    hits[truth[i]] += guess[i] == truth[i];
  }
  return macro_f1_of(
      {hits.data(), guessed.data(), present.data(), num_classes});
}

double roc_auc(const at::Tensor& scores, const at::Tensor& labels) {
  const at::Tensor values = scores.to(at::kDouble).contiguous();
  const double* const score = values.data_ptr<double>();
  const int64_t* const truth = labels.data_ptr<int64_t>();
  std::vector<int64_t> order(labels.numel());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return score[a] < score[b]; });
  // Rank sum of class 1, a run of equal scores sharing its mean rank.
  double rank_sum = 0;
  int64_t positives = 0;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    int64_t run_positives = 0;
    while (end < order.size() && score[order[end]] == score[order[begin]]) {
      run_positives += truth[order[end++]] == 1;
    }
    rank_sum += static_cast<double>(run_positives) *
                (static_cast<double>(begin + end + 1) / 2.0);
    positives += run_positives;
    begin = end;
  }
  const int64_t negatives = labels.numel() - positives;
  if (positives == 0 || negatives == 0) return kNaN;
  const auto p = static_cast<double>(positives);
  return (rank_sum - p * (p + 1) / 2) / (p * static_cast<double>(negatives));
}

Scores score_nodes(const at::Tensor& logits, const at::Tensor& labels,
                   const at::Tensor& nodes) {
  const at::Tensor all = labels.index_select(0, nodes);
  const at::Tensor labelled = nodes.masked_select(all.ge(0));
  const at::Tensor truth = labels.index_select(0, labelled).contiguous();
  const at::Tensor rows = logits.index_select(0, labelled);
  const at::Tensor predicted = rows.argmax(1).contiguous();
  Scores out;
  out.accuracy = accuracy(predicted, truth);
  out.macro_f1 = macro_f1(predicted, truth, logits.size(1));
  out.roc_auc = logits.size(1) == 2
                    ? roc_auc(rows.select(1, 1) - rows.select(1, 0), truth)
                    : kNaN;
  return out;
}

double select(const Scores& scores, Metric metric) {
  switch (metric) {
    case Metric::accuracy:
      break;
    case Metric::macro_f1:
      return scores.macro_f1;
    case Metric::roc_auc:
      return scores.roc_auc;
  }
  return scores.accuracy;
}

nlohmann::json to_json(const Scores& scores) {
  return {{"accuracy", number_or_null(scores.accuracy)},
          {"macro_f1", number_or_null(scores.macro_f1)},
          {"roc_auc", number_or_null(scores.roc_auc)}};
}

Scores scores_from_json(const nlohmann::json& json) {
  return {number_or_nan(json.at("accuracy")),
          number_or_nan(json.at("macro_f1")),
          number_or_nan(json.at("roc_auc"))};
}

}  // namespace ordered_gnn
