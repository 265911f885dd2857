#include "train/thread_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordered_gnn::training {
namespace {

// A row of a layer takes as long as so many edges of its width, see
// ops/cpu/blocks.h. A thread has enough to do with a block of that many rows;
// many threads take half of it at a time, to end together.
constexpr double kEdgesPerRow = 32, kBlockRows = 256, kBlockWidth = 256;

std::string threads_text(int threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

}  // namespace

PassWork pass_work(const NodeDataset& data, const RunOptions& options) {
  return {data.num_nodes(), data.graph.num_edges(), options.network.hidden};
}

int useful_threads(const PassWork& work) {
  const double rows = static_cast<double>(work.nodes) +
                      static_cast<double>(work.edges) / kEdgesPerRow;
  const double blocks =
      rows / kBlockRows * static_cast<double>(work.width) / kBlockWidth;
  return static_cast<int>(std::clamp(std::round(blocks), 1.0, 4096.0));
}

ThreadChoice choose_threads(const ExecutionOptions& options,
                            const PassWork& work,
                            const core::CpuTopology& topology) {
  if (options.threads > 0) {
    const auto threads = static_cast<int>(options.threads);
    return {threads, threads_text(threads)};
  }
  const int cores = topology.num_cores();
  const int granted = topology.within_quota(cores);
  const int useful = useful_threads(work);
  if (useful < granted) {
    return {useful,
            fmt::format("{}, more would find no work ({} nodes, {} edges, "
                        "width {}; {})",
                        threads_text(useful), work.nodes, work.edges,
                        work.width, topology.text())};
  }
  if (granted < cores) {
    return {granted, fmt::format("{}, as many as are granted ({})",
                                 threads_text(granted), topology.text())};
  }
  return {granted, fmt::format("{}, one for each of {}", threads_text(granted),
                               topology.text())};
}

}  // namespace ordered_gnn::training
