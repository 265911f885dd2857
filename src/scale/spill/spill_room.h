#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scale/spill/paged_memory.h"
#include "scale/spill/spill_estimate.h"
#include "scale/spill/spill_file.h"
#include "scale/spill/spilled_exchange.h"
#include "scale/spill/turn_team.h"

namespace ordered_gnn::scale {

/// A limit on the memory of a run over parts, and where the rest goes.
struct SpillOptions {
  int64_t memory = 0;  ///< of a rank, which is a process, in bytes
  std::filesystem::path folder;
  SpillUse use = SpillUse::training;
  /// See PagedMemory::Settings; all must be 0 or null but in tests and who
  /// ends the process.
  int64_t budget = 0;
  int64_t least_block = 0;
  std::function<void(const std::string& message)> on_lost;
};

/// What a rank with these parts is predicted to take in this process.
SpillEstimate estimate_spill(const PartsManifest& manifest,
                             const PartRange& parts, const RunOptions& options,
                             const SpillOptions& spill);

/// Why a rank with these parts cannot do with the limit, naming the least that
/// it can do with; empty: it can.
std::string spill_objection(const PartsManifest& manifest,
                            const PartRange& parts, const RunOptions& options,
                            const SpillOptions& spill);

/// Bytes that such a rank surely keeps on the disk.
int64_t surely_spilled(const PartsManifest& manifest, const PartRange& parts,
                       const RunOptions& options, const SpillOptions& spill);

/// Where the parts of a rank take turns so that its memory keeps a limit: as
/// many rows as fit stay in memory, the others on a disk. One at a time in a
/// process.
class SpillRoom {
 public:
  /// @param bounds   first part of every rank, see rank_bounds().
  /// @param threads  to compute with.
  /// @throws Error that says spill_objection().
  SpillRoom(Group& group, const PartsManifest& manifest,
            const std::vector<int64_t>& bounds, const RunOptions& options,
            const SpillOptions& spill, int64_t threads, Wire wire);

  /// Calls body(place) for all parts of the rank, which take turns; see
  /// TurnTeam::run().
  void run(int64_t kind, const std::function<void(int64_t)>& body);

  std::shared_ptr<core::RowExchange> of_part(int64_t place,
                                             const LocalLists& lists) {
    return exchange_.of_part(place, lists);
  }

  /// Bytes of rows that went to other ranks.
  int64_t sent() const { return exchange_.sent(); }

  PagedMemory::Counts counts() const { return memory_.counts(); }
  int64_t file_bytes() const { return file_.size(); }

 private:
  void follow_limit();

  const SpillOptions options_;
  const PartRange parts_;
  const int64_t reserve_;
  const int64_t program_;  ///< bytes that were taken before
  SpillFile file_;
  PagedMemory memory_;
  TurnTeam team_;
  SpilledExchange exchange_;
};

}  // namespace ordered_gnn::scale
