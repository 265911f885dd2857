#pragma once
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <memory>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::training {

/// A stream of its own for everything that the calling thread asks of the GPU
/// while it lives: runs side by side share the device instead of waiting for
/// each other. Waits for its work at the end. No two that live have the same
/// stream, as long as there are at most kMostGpuWorkers.
class RunStream : NonCopyable {
 public:
  RunStream();
  ~RunStream();

  /// A stream and the memory of the graphs that are recorded on it, which the
  /// next run on the stream uses again: asking the device for memory makes all
  /// other runs wait.
  struct Lane {
    c10::cuda::CUDAStream stream;
    /// A small graph that holds the memory between runs; null: none is held.
    std::shared_ptr<at::cuda::CUDAGraph> memory;
  };

 private:
  friend c10::MempoolId_t graph_memory();
  friend void forget_graph_memory();

  Lane lane_;
  const c10::cuda::CUDAStreamGuard guard_;
  RunStream* const outer_;  ///< of the calling thread
};

/// Where the calling thread's next graph takes its memory from. Memory that
/// lies idle, of earlier graphs and of other runs, is given back to the device
/// before when the program holds a large part of it. Called by one thread at a
/// time, as graphs are recorded.
c10::MempoolId_t graph_memory();

/// After a recording that failed, which leaves its memory in no state to be
/// recorded to again.
void forget_graph_memory();

/// The stream that the calling thread works on.
inline cudaStream_t current_stream() {
  return c10::cuda::getCurrentCUDAStream();
}

}  // namespace ordered_gnn::training
