#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ordered_gnn::training {

/// What TrainOptions::batch says.
struct BatchChoice {
  int64_t parts = 0;  ///< of a batch, at most; 0: it is not of parts
  int64_t seeds = 0;  ///< training nodes of a batch, at most; 0: all
  /// Neighbours to draw in every hop from these on, 0 for all of them; empty:
  /// none are drawn.
  std::vector<int64_t> fanout;

  bool in_parts() const { return parts > 0; }
  bool samples() const { return !fanout.empty(); }
};

/// Reads "whole", "parts:N", or "neighbors:S:F1,F2,...", S and F being numbers
/// or "all".
/// @throws UsageError for anything else.
BatchChoice parse_batch(const std::string& text);

/// @throws UsageError when a run on data in memory asks for batches of parts.
void require_no_part_batches(const std::string& text);

}  // namespace ordered_gnn::training
