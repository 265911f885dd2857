#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"
#include "scale/engines/board.h"

namespace ordered_gnn::scale {

/// Who this process is among the ranks of a run.
struct RankOfRun {
  int64_t rank = 0;
  int64_t size = 1;
  int64_t on_machine = 1;  ///< ranks that share this machine, if known
  int64_t index_here = 0;  ///< among these
  MeetingPlace place;
};

/// The rank that mpirun, srun or torchrun have given this process by their
/// variables: RANK and WORLD_SIZE, OMPI_COMM_WORLD_RANK and _SIZE, PMI_RANK and
/// PMI_SIZE, SLURM_PROCID and SLURM_NTASKS, in this order; MASTER_ADDR and
/// MASTER_PORT say where rank 0 is; under torchrun, which listens there itself,
/// at the port behind it.
/// @return nothing where there are none, or they speak of one rank alone.
/// @throws UsageError for values that are no ranks, and when ranks are on
///         several machines and nothing says where rank 0 is.
std::optional<RankOfRun> launched_rank();

/// Where ranks meet unless something else is said.
inline constexpr int kDefaultPort = 29500;

/// Processes of this program on this machine, each told its rank by RANK,
/// WORLD_SIZE, MASTER_ADDR and MASTER_PORT. They end with this process.
class SpawnedRanks : NonCopyable {
 public:
  /// @param command  the words of this process, its name first.
  /// @param fork     makes the processes.
  /// @throws Error when a process cannot be started; those that were end.
  SpawnedRanks(const std::vector<std::string>& command, int64_t size,
               const MeetingPlace& place, pid_t (*fork)() = ::fork);
  /// end_all(), and waits.
  ~SpawnedRanks();

  /// Ends those that are still there; waits for none.
  void end_all() const;

  /// How the first process ended that ended otherwise than well, as "rank 2
  /// (process 1234 on this machine) was ended by signal 9"; empty: none did.
  std::string failure();

  /// Waits until all have ended.
  void wait();

 private:
  SpawnedRanks() = default;

  std::vector<pid_t> processes_;  ///< of ranks 1, 2, ...; 0: ended
  std::string failure_;
  void note_end(size_t index, int status);
};

}  // namespace ordered_gnn::scale
