#include "train/cuda/run_stream.h"

#include <mutex>
#include <vector>

namespace ordered_gnn::detail {
namespace {

std::mutex streams_mutex;

// Streams that no run holds. LibTorch hands out its own in turns, whoever may
// still use one, and keeps a workspace for every stream that ever multiplied:
// the one given back last is taken first.
std::vector<c10::cuda::CUDAStream>& idle_streams() {
  static std::vector<c10::cuda::CUDAStream> streams;
  return streams;
}

c10::cuda::CUDAStream take_stream() {
  const std::lock_guard<std::mutex> lock(streams_mutex);
  auto& idle = idle_streams();
  if (idle.empty()) return c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStream stream = idle.back();
  idle.pop_back();
  return stream;
}

}  // namespace

RunStream::RunStream() : stream_(take_stream()), guard_(stream_) {}

RunStream::~RunStream() {
  // A failure is reported by the next call that asks the device.
  (void)cudaStreamSynchronize(stream_.stream());
  const std::lock_guard<std::mutex> lock(streams_mutex);
  idle_streams().push_back(stream_);
}

}  // namespace ordered_gnn::detail
