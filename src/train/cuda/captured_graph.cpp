#include "train/cuda/captured_graph.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include "train/cuda/run_stream.h"
#include "train/recording_turns.h"

namespace ordered_gnn::training {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

// Backward passes of all runs share LibTorch's one thread per device, and a
// recording must meet nobody else's work there; all graphs are in one list of
// LibTorch's random generator, which has no lock of its own.
RecordingTurns turns;

}  // namespace

CapturedGraph::~CapturedGraph() {
  if (!graph_) return;
  const RecordingTurns::Turn turn = turns.give_up();
  graph_.reset();
}

void CapturedGraph::capture(const std::function<void()>& warm_up,
                            const std::function<void()>& body) {
  const RecordingTurns::Turn turn = turns.record();
  graph_ = std::make_unique<at::cuda::CUDAGraph>();
  // Handles and workspaces of cuBLAS are made now: none may be while recording.
  warm_up();
  c10::cuda::getCurrentCUDAStream().synchronize();
  const c10::MempoolId_t pool = graph_memory();
  // Other threads may go on with what only disturbs a recording of their own.
  graph_->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
  try {
    body();
  } catch (...) {
    try {
      graph_->capture_end();
    } catch (const c10::Error&) {
      // The recording is broken; what broke it is thrown below. The allocator
      // must not believe that it goes on.
      allocator::endAllocateToPool(c10::cuda::current_device(), pool);
    }
    forget_graph_memory();
    throw;
  }
  graph_->capture_end();
}

void stand_back_from_captures(std::chrono::milliseconds most) {
  turns.stand_back(most);
}

}  // namespace ordered_gnn::training
