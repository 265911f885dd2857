#pragma once
#include <functional>
#include <string>
#include <vector>

#include "scale/ranks/launch.h"
#include "scale/ranks/parts_run.h"
#include "scale/ranks/watch.h"

namespace ordered_gnn::scale {

/// A run whose ranks are processes, by the engine `gloo`, or by `nccl` with
/// --device cuda.
struct ProcessTask {
  const std::filesystem::path& folder;
  const PartsManifest& manifest;
  const RunOptions& options;  ///< validated
  RankOfRun rank;
  /// Words of this process when it is to start the other ranks itself; empty:
  /// somebody else has.
  std::vector<std::string> spawn;
  std::string interface;  ///< see GlooOptions
  /// Ends the process; called on another thread.
  std::function<void(const LostRank&)> on_lost;
  int64_t threads = 1;  ///< of this rank
  Wire wire = Wire::fp32;
  const SpillOptions* spill = nullptr;  ///< of this rank; null: no limit
};

/// Rank 0: `body` gets its group, the others serve until it returns.
/// @throws what `body` throws; Error when ranks do not come or do not fit.
void run_first_rank(const ProcessTask& task,
                    const std::function<void(Group& group)>& body);

/// Any other rank: works until rank 0 stops. Signals that ask to end are left
/// to rank 0.
void run_other_rank(const ProcessTask& task);

}  // namespace ordered_gnn::scale
