#pragma once
#include <string>
#include <vector>

#include "core/trace.h"

namespace ordered_gnn::lab {

/// What a traced epoch could take at best on a number of threads: its loops
/// with their blocks handed out in order to whoever is free, and all else on
/// one thread. Counted in processor time, so that a busy machine does not show;
/// caches, memory and turns that blocks wait for are not in it.
struct ThreadForecast {
  int threads = 1;
  double ms = 0;
};

/// Time that a kind of op spent outside of all loops, less that of ops in it.
struct SerialPiece {
  std::string op;  ///< empty: between ops
  double ms = 0;
};

/// @param events   of one epoch, as core::stop_trace() gives them.
/// @param busy_ms  processor time of the calling thread in it.
ThreadForecast forecast(const std::vector<core::TraceEvent>& events,
                        double busy_ms, int threads);

/// The longest first, at most `count`.
std::vector<SerialPiece> serial_pieces(
    const std::vector<core::TraceEvent>& events, double busy_ms, size_t count);

}  // namespace ordered_gnn::lab
