#pragma once
#include <functional>

#include "scale/engines/local_group.h"
#include "scale/ranks/parts_run.h"

namespace ordered_gnn::scale {

/// Threads of a rank: as many as the options say, or its share of the cores.
int64_t threads_of_rank(const RunOptions& options, int64_t ranks_here);

/// The engine `local`: all ranks in this process, rank 0 on the calling thread.
/// @param body  gets rank 0's group; the others serve until it returns.
/// @throws what `body` throws, or what another rank did first.
void run_local(int64_t ranks, const std::filesystem::path& folder,
               const PartsManifest& manifest, const RunOptions& options,
               const std::function<void(Group& group, int64_t threads)>& body,
               Wire wire = Wire::fp32);

}  // namespace ordered_gnn::scale
