#pragma once
#include <string>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"
#include "train/thread_choice.h"

namespace ordered_gnn::cli {

/// Takes the threads that are asked for, on cores of their own with --pin.
/// Before anything is loaded.
/// @throws UsageError when threads cannot be pinned.
void use_threads(const ExecutionOptions& options);

/// Once the graph is known: the threads that suit it, unless a number was asked
/// for.
/// @return how many and why, for example "8 threads, one for each of 8 cores".
std::string use_threads_for(const NodeDataset& data, const RunOptions& options);
std::string use_threads_for(const training::PassWork& work,
                            const ExecutionOptions& options);

}  // namespace ordered_gnn::cli
