#include "lab/compare/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/names.h"
#include "lab/report/score_text.h"
#include "ordered_gnn/train/metrics.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kSameMean = 1e-9;

std::vector<RunScore> scores_of(const ComparedModel& model,
                                double ComparedRun::*field) {
  std::vector<RunScore> scores;
  for (const ComparedRun& run : model.runs) {
    scores.push_back({run.split, run.seed, run.*field});
  }
  return scores;
}

// What models are judged by, and which way.
struct Judgement {
  double ComparedRun::*score;
  double sign;  ///< times which more is better
};

Judgement judgement_of(const Comparison& comparison) {
  return {judged_on_validation(comparison) ? &ComparedRun::validation
                                           : &ComparedRun::test,
          lower_is_better(parse_metric(comparison.metric)) ? -1.0 : 1.0};
}

ComparedRow row_of(const ComparedModel& model, const Judgement& by) {
  ComparedRow row;
  row.model = &model;
  row.test = describe_runs(scores_of(model, &ComparedRun::test));
  row.validation = describe_runs(scores_of(model, &ComparedRun::validation));
  row.score = describe_runs(scores_of(model, by.score));
  row.seconds = describe_runs(scores_of(model, &ComparedRun::seconds)).mean;
  return row;
}

// Ranks and verdicts of rows in order, the first of which is the best.
void judge(const Judgement& by, std::vector<ComparedRow>& rows) {
  std::vector<double> p_values;
  for (size_t i = 0; i < rows.size(); ++i) {
    ComparedRow& row = rows[i];
    // Sums in another order differ in the last bits.
    const bool tied =
        i > 0 &&
        by.sign * (rows[i - 1].score.mean - row.score.mean) < kSameMean;
    row.rank = tied ? rows[i - 1].rank : static_cast<int64_t>(i) + 1;
    if (i == 0) continue;
    row.paired = compare_runs(scores_of(*row.model, by.score),
                              scores_of(*rows.front().model, by.score));
    p_values.push_back(row.paired.p_value);
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);
  if (rows.empty()) return;
  const bool shared = rows.size() > 1 && rows[1].rank == 1;
  rows.front().place = shared ? ComparedPlace::level : ComparedPlace::best;
  for (size_t i = 1; i < rows.size(); ++i) {
    rows[i].p_adjusted = adjusted[i - 1];
    const bool real = rows[i].rank > 1 && rows[i].paired.difference.count > 1 &&
                      adjusted[i - 1] < kRealBelow;
    rows[i].place = real ? ComparedPlace::behind : ComparedPlace::level;
  }
}

std::vector<std::string> names_at(const std::vector<ComparedRow>& rows,
                                  ComparedPlace place) {
  std::vector<std::string> names;
  for (const ComparedRow& row : rows) {
    if (row.place == place) names.push_back(row.model->model);
  }
  return names;
}

const char* are(const std::vector<std::string>& names) {
  return names.size() == 1 ? "is" : "are";
}

// "a and b are level" of models that share the highest mean, and who is not.
std::string verdict_on_equals(const std::vector<ComparedRow>& rows) {
  std::vector<std::string> first, others;
  for (const ComparedRow& row : rows) {
    if (shares_the_best(row)) {
      first.push_back(row.model->model);
    } else if (row.place == ComparedPlace::level) {
      others.push_back(row.model->model);
    }
  }
  const std::vector<std::string> behind = names_at(rows, ComparedPlace::behind);
  std::string text = fmt::format(": {} are level, their means are equal.",
                                 core::listed(first));
  if (!others.empty()) {
    text += rows.front().score.count < kPairsToTell
                ? fmt::format(" {} cannot tell {} from them.",
                              separate_text(rows.front()), core::listed(others))
                : fmt::format(" {} may be behind by chance alone.",
                              core::listed(others));
  }
  if (!behind.empty()) {
    text +=
        fmt::format(" Really behind {} {}.", are(behind), core::listed(behind));
  }
  return text;
}

std::string verdict_on_others(const std::vector<ComparedRow>& rows) {
  const std::vector<std::string> level = names_at(rows, ComparedPlace::level);
  const std::vector<std::string> behind = names_at(rows, ComparedPlace::behind);
  if (level.empty()) {
    return ", and that is more than chance: every other model is really "
           "behind it.";
  }
  std::string text =
      rows.front().score.count < kPairsToTell
          ? fmt::format(
                ", but {} cannot tell {} from it: use more splits or --seeds "
                "42,43,44.",
                separate_text(rows.front()), core::listed(level))
          : fmt::format(
                ", but {} {} level with it: a difference that small may be "
                "chance.",
                core::listed(level), are(level));
  if (!behind.empty()) {
    text +=
        fmt::format(" Really behind {} {}.", are(behind), core::listed(behind));
  }
  return text;
}

}  // namespace

std::string to_string(ComparedPlace place) {
  return core::word_of(place, {{ComparedPlace::best, "best"},
                               {ComparedPlace::level, "level"},
                               {ComparedPlace::behind, "behind"},
                               {ComparedPlace::failed, "failed"}});
}

std::string separate_text(const ComparedRow& row) {
  const int64_t count = row.score.count;
  const bool runs = count == static_cast<int64_t>(row.model->runs.size());
  return fmt::format("{} {}{}", count, runs ? "run" : "split",
                     count == 1 ? "" : "s");
}

bool shares_the_best(const ComparedRow& row) {
  return row.rank == 1 && row.place == ComparedPlace::level;
}

bool judged_on_validation(const Comparison& comparison) {
  bool any = false;
  for (const ComparedModel& model : comparison.models) {
    for (const ComparedRun& run : model.runs) {
      if (!std::isnan(run.test)) return false;
      any = any || !std::isnan(run.validation);
    }
  }
  return any;
}

std::string judged_part(const Comparison& comparison) {
  return judged_on_validation(comparison) ? "validation" : "test";
}

std::vector<ComparedRow> ranked_rows(const Comparison& comparison) {
  const Judgement by = judgement_of(comparison);
  std::vector<ComparedRow> rows, failed;
  for (const ComparedModel& model : comparison.models) {
    (model.done() ? rows : failed).push_back(row_of(model, by));
  }
  // A metric that the data does not define is no number and comes last.
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const ComparedRow& a, const ComparedRow& b) {
                     if (std::isnan(a.score.mean)) return false;
                     return std::isnan(b.score.mean) ||
                            by.sign * a.score.mean > by.sign * b.score.mean;
                   });
  judge(by, rows);
  rows.insert(rows.end(), failed.begin(), failed.end());
  return rows;
}

std::string conclusion(const Comparison& comparison) {
  const std::vector<ComparedRow> rows = ranked_rows(comparison);
  const auto done =
      std::count_if(rows.begin(), rows.end(), [](const ComparedRow& row) {
        return row.place != ComparedPlace::failed;
      });
  if (done == 0) return "No model has a result.";
  if (done == 1) {
    return fmt::format(
        "Only {} has a result; there is nothing to compare it "
        "with.",
        rows.front().model->model);
  }
  const Metric metric = parse_metric(comparison.metric);
  const char* const most = lower_is_better(metric) ? "lowest" : "highest";
  const std::string mean = score_text(rows.front().score.mean, metric) +
                           (metric == Metric::log_loss ? "" : " %");
  const std::string caution =
      judged_on_validation(comparison)
          ? " There is no test part: these are the scores by which settings "
            "and epochs were chosen, so they are higher than those of new "
            "nodes will be."
          : "";
  if (shares_the_best(rows.front())) {
    return fmt::format("On {}, the {} mean {} {} is {}{}{}", comparison.dataset,
                       most, judged_part(comparison), comparison.metric, mean,
                       verdict_on_equals(rows), caution);
  }
  const std::string best =
      fmt::format("On {}, {} has the {} mean {} {} ({})", comparison.dataset,
                  rows.front().model->model, most, judged_part(comparison),
                  comparison.metric, mean);
  if (rows.front().score.count < 2) {
    return best +
           " of one run each; whether that is more than chance one run cannot "
           "tell: use more splits or --seeds 42,43,44." +
           caution;
  }
  return best + verdict_on_others(rows) + caution;
}

}  // namespace ordered_gnn::lab
