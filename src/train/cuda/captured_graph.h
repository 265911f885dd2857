#pragma once
#include <ATen/cuda/CUDAGraph.h>

#include <chrono>
#include <functional>
#include <memory>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::training {

/// Work of the GPU that is recorded once and then repeated by one call: the
/// same kernels on the same memory. Threads record and give up graphs one after
/// the other.
class CapturedGraph : NonCopyable {
 public:
  CapturedGraph() = default;
  ~CapturedGraph();

  /// Calls `warm_up`, which must ask for the same kind of work and leave
  /// nothing behind, and then records what `body` asks of the current stream;
  /// nothing of `body` runs.
  /// @throws whatever the two throw.
  void capture(const std::function<void()>& warm_up,
               const std::function<void()>& body);

  /// Repeats the recorded work, on the current stream.
  void replay() { graph_->replay(); }

 private:
  std::unique_ptr<at::cuda::CUDAGraph> graph_;
};

/// Returns when no other thread captures or waits to, or after `most`: for runs
/// whose work would hold up that of those, see train/recording_turns.h.
void stand_back_from_captures(std::chrono::milliseconds most);

}  // namespace ordered_gnn::training
