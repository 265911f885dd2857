#pragma once
#include <cstdint>
#include <functional>

namespace ordered_gnn::lab {

/// Calls body(index) once for every index in [0, count), handed out in rising
/// order to `workers` threads, the calling one among them: with one worker it
/// is a plain loop.
///
/// After an exception no further index is handed out. The call waits for those
/// that run and rethrows the exception of the lowest index, the one that the
/// plain loop meets first; an Interrupted only when there is no other, so that
/// it means that all who were asked to stop have done so.
void run_on_workers(int64_t workers, int64_t count,
                    const std::function<void(int64_t)>& body);

}  // namespace ordered_gnn::lab
