#pragma once
#include <cstdint>
#include <string>

namespace ordered_gnn::training {

/// What TrainOptions::batch says.
struct BatchChoice {
  int64_t parts = 0;  ///< of a batch, at most; 0: the whole graph

  bool in_parts() const { return parts > 0; }
};

/// Reads "whole" or "parts:N".
/// @throws UsageError for anything else.
BatchChoice parse_batch(const std::string& text);

/// @throws UsageError when a run on data in memory asks for batches.
void require_no_batches(const std::string& text);

}  // namespace ordered_gnn::training
