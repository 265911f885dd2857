#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "scale/ranks/part_threads.h"
#include "scale/spill/paged_memory.h"

namespace ordered_gnn::scale {

/// A thread for every part, of which one works at a time, on all cores: parts
/// take turns in their order, round after round. When it is a part's turn
/// again, all others have come to the same place.
class TurnTeam {
 public:
  /// @param threads  of the part whose turn it is.
  TurnTeam(PagedMemory& memory, int64_t parts, int64_t threads);

  /// Calls body(part) on the thread of every part and waits for all; tensors
  /// that it makes are in the paged memory.
  /// @throws the first exception of a part.
  void run(int64_t kind, const std::function<void(int64_t)>& body);

  /// Called by a part in its turn: lets all others have theirs.
  /// @throws Error when one of them has failed.
  void next_turn(int64_t part);

 private:
  void work(int64_t part);
  void compute(int64_t part);
  bool wait_for_turn(int64_t part);
  void pass_turn(int64_t part, bool is_done);

  PagedMemory& memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t turn_ = -1;  ///< whose; -1: nobody's
  std::vector<bool> is_done_;
  const std::function<void(int64_t)>* body_ = nullptr;
  std::exception_ptr failure_;
  PartThreads threads_;  ///< last: they end before what they use
};

}  // namespace ordered_gnn::scale
