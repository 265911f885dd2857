#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "lab/bench/thread_forecast.h"

namespace ordered_gnn::lab {

/// What a trace says about threads.
struct TraceSummary {
  /// Of the time, the part in which the calling thread was in no loop of more
  /// than one block.
  double serial_share = 0;
  std::vector<ThreadForecast> forecasts;  ///< for 1, 2, 4, ... 64 threads
  std::vector<SerialPiece> pieces;        ///< the longest
};

/// Runs an epoch and writes what ran when into `file`, in the format of
/// Chrome's traces: ops by their names, LibTorch's too ("cat": "op"), loops
/// that threads share ("loop"), and their blocks ("block"), with the thread of
/// each.
///
/// @throws Error when the file cannot be written.
TraceSummary trace_epoch(const std::function<void()>& epoch,
                         const std::filesystem::path& file);

}  // namespace ordered_gnn::lab
