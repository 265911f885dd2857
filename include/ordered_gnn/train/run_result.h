#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/train/metrics.h"

namespace ordered_gnn {

/// Scores of the three parts of a split; all of `test` are NaN, in JSON null,
/// when it has no test part.
struct SplitScores {
  Scores train, val, test;
};

/// Outcome of training on one split. Scores are those of the first epoch with
/// the best validation score, corrected and smoothed when that was asked for.
struct RunResult {
  int64_t split = 0;
  int64_t seed = 0;
  int64_t epochs = 0;
  int64_t best_epoch = 0;
  Scores train, val, test;
  /// Of the model itself, when its predictions were corrected and smoothed.
  std::optional<SplitScores> before_correct_smooth;
  double seconds = 0;
  int64_t peak_bytes = 0;  ///< of the process
  int64_t num_parameters = 0;
  std::string checkpoint;  ///< empty when nothing was written
};

Json to_json(const RunResult& result);
/// @throws Error naming the key when a number is missing or cannot be what it
///         says, Json::exception when another key is missing.
RunResult run_result_from_json(const Json& json);

}  // namespace ordered_gnn
