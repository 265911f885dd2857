#include "ordered_gnn/train/metrics.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/io/json_numbers.h"
#include "ordered_gnn/core/parallel.h"
#include "train/ranked_metrics.h"

namespace ordered_gnn {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double share(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// The mean over the classes that `whole_of` gives something of
// factor * hits / whole.
template <typename Whole>
double mean_over_classes(const ClassCounts& counts, double factor,
                         const Whole& whole_of) {
  double total = 0;
  int64_t classes = 0;
  for (int64_t c = 0; c < counts.num_classes; ++c) {
    const int64_t whole = whole_of(c);
    if (whole == 0) continue;
    total += factor * static_cast<double>(counts.hits[c]) /
             static_cast<double>(whole);
    ++classes;
  }
  return classes == 0 ? kNaN : total / static_cast<double>(classes);
}

double macro_f1_of(const ClassCounts& counts) {
  return mean_over_classes(counts, 2.0, [&](int64_t c) {
    return counts.guessed[c] + counts.present[c];
  });
}

double balanced_accuracy_of(const ClassCounts& counts) {
  return mean_over_classes(counts, 1.0,
                           [&](int64_t c) { return counts.present[c]; });
}

// ClassCounts of predictions.
struct CountedClasses {
  std::vector<int64_t> hits, guessed, present;

  CountedClasses(const at::Tensor& predicted, const at::Tensor& labels,
                 int64_t num_classes)
      : hits(num_classes), guessed(num_classes), present(num_classes) {
    const int64_t* const guess = predicted.data_ptr<int64_t>();
    const int64_t* const truth = labels.data_ptr<int64_t>();
    for (int64_t i = 0; i < labels.numel(); ++i) {
      ++guessed[guess[i]];
      ++present[truth[i]];
      hits[truth[i]] += guess[i] == truth[i];
    }
  }

  ClassCounts view() const {
    return {hits.data(), guessed.data(), present.data(),
            static_cast<int64_t>(hits.size())};
  }
};

// Rows that a thread takes at a time: enough that LibTorch's calls cost little
// beside them.
constexpr int64_t kScoredRows = 2048;

at::Tensor chosen_rows(const at::Tensor& logits, const at::Tensor& nodes) {
  const at::Tensor out =
      at::empty({nodes.size(0), logits.size(1)}, logits.options());
  parallel_ranges(nodes.size(0), kScoredRows, [&](int64_t begin, int64_t end) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::Tensor part = out.narrow(0, begin, end - begin);
    at::index_select_out(part, logits, 0, nodes.narrow(0, begin, end - begin));
  });
  return out;
}

// The class with the largest logit in every row.
at::Tensor largest_of_rows(const at::Tensor& rows) {
  const at::Tensor out =
      at::empty({rows.size(0)}, rows.options().dtype(at::kLong));
  parallel_ranges(rows.size(0), kScoredRows, [&](int64_t begin, int64_t end) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::Tensor part = out.narrow(0, begin, end - begin);
    at::argmax_out(part, rows.narrow(0, begin, end - begin), 1);
  });
  return out;
}

// The labelled ones among the nodes.
struct LabelledRows {
  at::Tensor rows;   ///< of the logits
  at::Tensor truth;  ///< their labels

  LabelledRows(const at::Tensor& logits, const at::Tensor& labels,
               const at::Tensor& nodes) {
    const at::Tensor all = labels.index_select(0, nodes);
    const at::Tensor labelled = nodes.masked_select(all.ge(0));
    truth = labels.index_select(0, labelled).contiguous();
    rows = chosen_rows(logits, labelled);
  }

  Scores counted() const {
    const at::Tensor predicted = largest_of_rows(rows);
    return score_counts(CountedClasses(predicted, truth, rows.size(1)).view());
  }

  // Of two classes either against the other: the same number.
  double two_class_auc() const {
    return roc_auc(rows.select(1, 1) - rows.select(1, 0), truth);
  }

  bool has_two_classes() const { return rows.size(1) == 2; }
};

}  // namespace

Scores score_counts(const ClassCounts& counts) {
  const auto sum = [&](const int64_t* values) {
    return std::accumulate(values, values + counts.num_classes, int64_t{0});
  };
  const int64_t nodes = sum(counts.present);
  Scores out;
  out.accuracy = nodes == 0 ? kNaN : share(sum(counts.hits), nodes);
  out.macro_f1 = macro_f1_of(counts);
  out.balanced_accuracy = balanced_accuracy_of(counts);
  out.roc_auc = out.average_precision = out.log_loss = kNaN;
  return out;
}

double accuracy(const at::Tensor& predicted, const at::Tensor& labels) {
  if (labels.numel() == 0) return kNaN;
  const int64_t right = predicted.eq(labels).sum().item<int64_t>();
  return share(right, labels.numel());
}

double macro_f1(const at::Tensor& predicted, const at::Tensor& labels,
                int64_t num_classes) {
  return macro_f1_of(CountedClasses(predicted, labels, num_classes).view());
}

double balanced_accuracy(const at::Tensor& predicted, const at::Tensor& labels,
                         int64_t num_classes) {
  return balanced_accuracy_of(
      CountedClasses(predicted, labels, num_classes).view());
}

double log_loss(const at::Tensor& logits, const at::Tensor& labels) {
  if (labels.numel() == 0) return kNaN;
  const at::Tensor log_probability =
      at::log_softmax(logits.to(at::kDouble), /*dim=*/1);
  return -log_probability.gather(1, labels.unsqueeze(1)).mean().item<double>();
}

Scores score_nodes(const at::Tensor& logits, const at::Tensor& labels,
                   const at::Tensor& nodes) {
  const LabelledRows scored(logits, labels, nodes);
  Scores out = scored.counted();
  const training::RankedScores ranked =
      training::one_against_rest(scored.rows, scored.truth);
  out.roc_auc =
      scored.has_two_classes() ? scored.two_class_auc() : ranked.roc_auc;
  out.average_precision = ranked.average_precision;
  out.log_loss = log_loss(scored.rows, scored.truth);
  return out;
}

Scores quick_scores(const at::Tensor& logits, const at::Tensor& labels,
                    const at::Tensor& nodes, Metric metric) {
  const LabelledRows scored(logits, labels, nodes);
  Scores out = scored.counted();
  if (scored.has_two_classes()) out.roc_auc = scored.two_class_auc();
  if (metric == Metric::average_precision ||
      (metric == Metric::roc_auc && !scored.has_two_classes())) {
    const training::RankedScores ranked =
        training::one_against_rest(scored.rows, scored.truth);
    if (!scored.has_two_classes()) out.roc_auc = ranked.roc_auc;
    out.average_precision = ranked.average_precision;
  }
  if (metric == Metric::log_loss) {
    out.log_loss = log_loss(scored.rows, scored.truth);
  }
  return out;
}

bool lower_is_better(Metric metric) { return metric == Metric::log_loss; }

double value_of(const Scores& scores, Metric metric) {
  switch (metric) {
    case Metric::accuracy:
      break;
    case Metric::macro_f1:
      return scores.macro_f1;
    case Metric::roc_auc:
      return scores.roc_auc;
    case Metric::balanced_accuracy:
      return scores.balanced_accuracy;
    case Metric::average_precision:
      return scores.average_precision;
    case Metric::log_loss:
      return scores.log_loss;
  }
  return scores.accuracy;
}

double select(const Scores& scores, Metric metric) {
  const double value = value_of(scores, metric);
  return lower_is_better(metric) ? -value : value;
}

nlohmann::json to_json(const Scores& scores) {
  return {{"accuracy", core::number_or_null(scores.accuracy)},
          {"balanced_accuracy", core::number_or_null(scores.balanced_accuracy)},
          {"macro_f1", core::number_or_null(scores.macro_f1)},
          {"roc_auc", core::number_or_null(scores.roc_auc)},
          {"average_precision", core::number_or_null(scores.average_precision)},
          {"log_loss", core::number_or_null(scores.log_loss)}};
}

Scores scores_from_json(const nlohmann::json& json) {
  const auto later = [&](const char* key) {
    return core::number_or_nan(json.value(key, nlohmann::json()));
  };
  Scores scores;
  scores.accuracy = core::number_or_nan(json.at("accuracy"));
  scores.macro_f1 = core::number_or_nan(json.at("macro_f1"));
  scores.roc_auc = core::number_or_nan(json.at("roc_auc"));
  scores.balanced_accuracy = later("balanced_accuracy");
  scores.average_precision = later("average_precision");
  scores.log_loss = later("log_loss");
  return scores;
}

}  // namespace ordered_gnn
