#pragma once
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace ordered_gnn::detail {

/// A stream of its own for everything that the calling thread asks of the GPU
/// while it lives: runs side by side share the device instead of waiting for
/// each other. Waits for its work at the end. No two that live have the same
/// stream, as long as there are at most kMostGpuWorkers.
class RunStream {
 public:
  RunStream();
  ~RunStream();
  RunStream(const RunStream&) = delete;
  RunStream& operator=(const RunStream&) = delete;

 private:
  const c10::cuda::CUDAStream stream_;
  const c10::cuda::CUDAStreamGuard guard_;
};

/// The stream that the calling thread works on.
inline cudaStream_t current_stream() {
  return c10::cuda::getCurrentCUDAStream();
}

}  // namespace ordered_gnn::detail
