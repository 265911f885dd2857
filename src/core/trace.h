#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ordered_gnn::core {

/// One thing that ran on one thread. Times are in microseconds from
/// start_trace() on.
struct TraceEvent {
  enum class Kind { op, loop, block };
  Kind kind = Kind::op;
  std::string name;   ///< of the op; loops and blocks have that around them
  int64_t block = 0;  ///< number of a block, how many a loop has
  int thread = 0;     ///< 0 is the one that was traced first
  double start = 0, duration = 0;
  double busy = 0;  ///< processor time of its thread in between
};

using TraceClock = std::chrono::steady_clock;

/// When something began: by the clock, and by the processor time of this
/// thread, which other programs do not take from.
struct TraceMoment {
  TraceClock::time_point time;
  double busy = 0;  // microseconds
};
TraceMoment traced_moment();

extern std::atomic<bool> trace_is_on;

/// Whether somebody asked for a trace: one load, all that a loop costs without.
inline bool is_traced() { return trace_is_on.load(std::memory_order_relaxed); }

/// Keeps what happens from now on, on all threads, until stop_trace().
void start_trace();

/// What happened since, in the order in which it ended.
std::vector<TraceEvent> stop_trace();

/// The op that this thread is in: loops and blocks are named after it. Ops
/// nest, and end in reverse order on the thread they began on.
void enter_traced_op(std::string name);
void leave_traced_op();

/// The name of the innermost op of this thread; empty outside of any.
std::string traced_op();

/// Adds a loop or block that began at `start` and ends now.
void add_traced(TraceEvent::Kind kind, const std::string& name, int64_t block,
                const TraceMoment& start);

}  // namespace ordered_gnn::core
