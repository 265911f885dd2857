#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "scale/spill/paged_memory.h"
#include "scale/spill/spill_estimate.h"
#include "scale/spill/spill_file.h"
#include "scale/spill/spilled_exchange.h"
#include "scale/spill/turn_team.h"

namespace ordered_gnn::scale {

/// A limit on the memory of a run over parts, and where the rest goes.
struct SpillOptions {
  int64_t memory = 0;  ///< of the process, in bytes
  std::filesystem::path folder;
  bool is_training = true;
  /// See PagedMemory::Settings; all must be 0 or null but in tests and who
  /// ends the process.
  int64_t budget = 0;
  int64_t least_block = 0;
  std::function<void(const std::string& message)> on_lost;
};

/// @throws Error when the limit is below the least that the run can do with,
///         which it names.
SpillEstimate require_spill(const PartsManifest& manifest,
                            const RunOptions& options,
                            const SpillOptions& spill);

/// Where the parts of a run take turns so that its memory keeps a limit: as
/// many rows as fit stay in memory, the others on a disk.
class SpillRoom {
 public:
  /// @param threads  to compute with.
  SpillRoom(const PartsManifest& manifest, const RunOptions& options,
            const SpillOptions& spill, int64_t threads, Wire wire);

  /// Calls body(part) for all parts, which take turns; see TurnTeam::run().
  void run(int64_t kind, const std::function<void(int64_t)>& body);

  std::shared_ptr<core::RowExchange> of_part(int64_t part,
                                             const LocalLists& lists) {
    return exchange_.of_part(part, lists);
  }

  PagedMemory::Counts counts() const { return memory_.counts(); }
  int64_t file_bytes() const { return file_.size(); }

 private:
  void follow_limit();

  const SpillOptions options_;
  const int64_t reserve_;
  const int64_t program_;  ///< bytes that were taken before
  SpillFile file_;
  PagedMemory memory_;
  TurnTeam team_;
  SpilledExchange exchange_;
};

}  // namespace ordered_gnn::scale
