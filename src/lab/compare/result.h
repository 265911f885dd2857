#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lab/runs/result_origin.h"
#include "lab/runs/statistics.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// One run behind a row of a comparison. Scores are those of the metric.
struct ComparedRun {
  int64_t split = 0;
  int64_t seed = 0;
  double test = 0;  ///< NaN without a test part
  double validation = 0;
  int64_t epochs = 0;
  int64_t best_epoch = 0;
  double seconds = 0;
};

/// A model of a comparison, tuned and run.
struct ComparedModel {
  std::string model;   ///< the name of the system, see named_system.h
  std::string start;   ///< recipe it started from; empty: the model's defaults
  RunOptions options;  ///< that were chosen
  int64_t tried = 1;   ///< settings, the one it started from among them
  int64_t tuning_runs = 0;
  double tuning_seconds = 0;      ///< of these runs together
  std::vector<ComparedRun> runs;  ///< empty when it failed
  std::string error;              ///< why it has no number; empty: it has
  int64_t parameters = 0;
  int64_t peak_bytes = 0;  ///< that training takes; 0: not known

  bool done() const { return error.empty() && !runs.empty(); }
};

/// What a comparison found; `compare.json` holds it.
struct Comparison : ResultOrigin {
  std::string dataset, fingerprint, metric;
  std::vector<int64_t> splits, seeds;
  int64_t trials = 0;  ///< settings that every model could try; 0: no tuning
  std::vector<std::string> broken;    ///< lines of logs that were not used
  std::vector<ComparedModel> models;  ///< as they were asked for
};

/// Whether models are judged by their validation scores, which their settings
/// were chosen by, because no split has a test part.
bool judged_on_validation(const Comparison& comparison);

/// "test" or "validation": what models are judged by.
std::string judged_part(const Comparison& comparison);

/// How a model stands against the best one.
enum class ComparedPlace {
  best,    ///< the best mean, alone: the highest, of log_loss the lowest
  level,   ///< shares it, or is behind by no more than chance explains
  behind,  ///< really behind it
  failed,
};
std::string to_string(ComparedPlace place);

/// A line of the table.
struct ComparedRow {
  const ComparedModel* model = nullptr;
  int64_t rank = 0;  ///< from 1, equal means share one; 0: failed
  Statistics test, validation;
  Statistics score;    ///< the one of them that models are judged by
  double seconds = 0;  ///< mean of a run
  /// Of this one - the first of the best, see compare_runs(); of no runs for
  /// that one.
  PairedComparison paired;
  /// Probability of the difference by chance, corrected by Holm's method for
  /// the number of models that are compared with the best.
  double p_adjusted = 1;
  ComparedPlace place = ComparedPlace::failed;
};

/// Differences with a smaller corrected probability are called real.
constexpr double kRealBelow = 0.05;
/// With fewer pairs even a large difference may not be told from chance, so a
/// model that is not really behind is not called level either.
constexpr int64_t kPairsToTell = 5;

/// "4 runs", or "4 splits" where each has several seeds: how many scores of the
/// row count as separate ones.
std::string separate_text(const ComparedRow& row);

/// Whether the row has the highest mean together with others.
bool shares_the_best(const ComparedRow& row);

/// The models, best mean first, those that failed last. With fewer than two
/// pairs nothing is called real. Points into `comparison`.
std::vector<ComparedRow> ranked_rows(const Comparison& comparison);

/// One sentence, or two, that say who is best and whether that is more than
/// chance.
std::string conclusion(const Comparison& comparison);

/// Everything, with what follows from the runs, see docs/experiments.md.
Json to_json(const Comparison& comparison);

}  // namespace ordered_gnn::lab
