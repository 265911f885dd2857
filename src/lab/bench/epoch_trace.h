#pragma once
#include <filesystem>
#include <functional>

namespace ordered_gnn::lab {

/// Runs an epoch and writes what ran when into `file`, in the format of
/// Chrome's traces: ops by their names, LibTorch's too ("cat": "op"), loops
/// that threads share ("loop"), and their blocks ("block"), with the thread of
/// each.
///
/// @return the share of the time in which the calling thread was in no loop of
///         more than one block.
/// @throws Error when the file cannot be written.
double trace_epoch(const std::function<void()>& epoch,
                   const std::filesystem::path& file);

}  // namespace ordered_gnn::lab
