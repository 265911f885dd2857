#pragma once
#include <cstdint>
#include <string>

#include "core/cpu_topology.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::training {

/// Threads of the kernels, and why so many.
struct ThreadChoice {
  int threads = 1;
  std::string text;  ///< "8 threads, one for each of 8 cores"
};

/// What a pass over a graph has to do.
struct PassWork {
  int64_t nodes = 0, edges = 0;
  int64_t width = 0;  ///< of the rows between layers
};

PassWork pass_work(const NodeDataset& data, const RunOptions& options);

/// Threads that find something to do in the loops of a pass: one for every
/// block of 256 rows of width 256, smaller ones in proportion. At least 1.
int useful_threads(const PassWork& work);

/// `threads` of the options, or where that is 0 one for each physical core that
/// the process may use, but no more than are useful: hardware threads of one
/// core share its vector units, and threads without work cost more than they
/// give.
ThreadChoice choose_threads(
    const ExecutionOptions& options, const PassWork& work,
    const core::CpuTopology& topology = core::topology());

}  // namespace ordered_gnn::training
