#include "shared/thread_use.h"

#include <algorithm>

#include "core/thread_pins.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cli {

void use_threads(const ExecutionOptions& options) {
  const auto threads = static_cast<int>(options.threads);
  set_num_threads(threads);
  if (options.pin) {
    // Left to us they are no more than there are cores.
    core::pin_threads(std::max(threads, 1));
  } else {
    core::unpin_threads();
  }
}

std::string use_threads_for(const NodeDataset& data,
                            const RunOptions& options) {
  return use_threads_for(training::pass_work(data, options), options.execution);
}

std::string use_threads_for(const training::PassWork& work,
                            const ExecutionOptions& options) {
  const training::ThreadChoice choice = training::choose_threads(options, work);
  set_num_threads(choice.threads);
  return choice.text + (options.pin ? ", pinned" : "");
}

}  // namespace ordered_gnn::cli
