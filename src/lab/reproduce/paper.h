#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/runs/statistics.h"

namespace ordered_gnn::lab {

/// A published number: test accuracy in per cent, or milliseconds per epoch.
struct PublishedValue {
  double mean = 0;
  std::optional<double> deviation;  ///< where one is given
  /// Runs behind mean and deviation; 0 where the paper does not say.
  int64_t runs = 0;
};

/// One number of a table of the paper. Tables are called as the experiments
/// that repeat them: table2, layers64, ablation, large, runtime. The figure of
/// accuracy over depth comes without numbers, so nothing here stands for it.
struct PublishedEntry {
  std::string table;
  std::string system;  ///< as the paper writes it: "Ordered GNN", "GCNII*"
  std::string column;  ///< a dataset as we name it, or a setting
  PublishedValue value;
};

/// Every number of the paper's result tables, in the paper's order. Entries
/// that ran out of memory there are left out. The system kMeasured of table2
/// is not of the paper: an independent run of its published settings in plain
/// PyTorch, seed 42, the same ten splits.
const std::vector<PublishedEntry>& published_values();
constexpr const char* kMeasured = "measured";
constexpr const char* kOrderedGnn = "Ordered GNN";

std::optional<PublishedValue> published_value(const std::string& table,
                                              const std::string& system,
                                              const std::string& column);

/// Systems of a table in its order; empty for an unknown table.
std::vector<std::string> published_systems(const std::string& table);

/// Ours against a published number, in the unit of both.
struct PublishedComparison {
  double difference = 0;  ///< ours - published
  /// Difference over our standard error of the mean. Empty when no error is
  /// known: one run, or runs that are all alike.
  std::optional<double> in_standard_errors;
  /// The same over the standard error of both sides, where deviation and
  /// number of runs were published.
  std::optional<double> in_joint_standard_errors;
  /// |difference| <= 2 standard errors of ours; empty when no error is known.
  std::optional<bool> inside_two_standard_errors;
};

/// @param ours  in the unit of `published`, with at least one value.
PublishedComparison compare_published(const Statistics& ours,
                                      const PublishedValue& published);

/// "inside two standard errors", "outside two standard errors (below)", "one
/// run, no error known", or "runs all alike, no error known".
std::string verdict(const Statistics& ours,
                    const PublishedComparison& comparison);

}  // namespace ordered_gnn::lab
