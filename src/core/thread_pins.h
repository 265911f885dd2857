#pragma once
#include <string>
#include <vector>

#include "core/cpu_topology.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {

/// Where threads go: the first hardware thread of every core, then the second
/// ones, and so on.
std::vector<int> pin_order(const CpuTopology& topology);

/// Why `threads` threads cannot be pinned on such a machine; empty when they
/// can.
std::string refusal_to_pin(int threads, const CpuTopology& topology);

/// From now on the loops of the calling thread run on fixed hardware threads:
/// helpers stay where they are put, the caller is there while a loop runs and
/// free in between, so that threads it starts are free, too. Other threads and
/// their helpers are left alone.
/// @throws UsageError as refusal_to_pin() says, or when the system refuses.
void pin_threads(int threads);

/// Ends that: the next loop has helpers that are free.
void unpin_threads();

/// Whether loops of the calling thread are pinned.
bool is_pinned();

/// Puts the calling thread, helper `number` of a thread with pinned loops, into
/// its place; one more than there are places may be anywhere. Number 0 is that
/// thread itself.
void pin_helper(int number);

/// While it lives, the calling thread is in its place when its loops are
/// pinned, and is put back to where it may be in the end.
class PinnedLoop : NonCopyable {
 public:
  PinnedLoop();
  ~PinnedLoop();

 private:
  const bool pinned_;
};

}  // namespace ordered_gnn::core
