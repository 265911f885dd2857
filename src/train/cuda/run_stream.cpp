#include "train/cuda/run_stream.h"

#include <ATen/Functions.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>

#include <mutex>
#include <vector>

namespace ordered_gnn::training {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

// Of the device's memory: below it, keeping what is idle harms nobody.
constexpr double kSmallPart = 0.125;

std::mutex lanes_mutex;

// Lanes that no run holds. LibTorch hands out its streams in turns, whoever may
// still use one, and keeps a workspace for every stream that ever multiplied:
// the one given back last is taken first.
// Never destroyed: at the end of the program the device may be gone before.
std::vector<RunStream::Lane>& idle_lanes() {
  static auto* const lanes = new std::vector<RunStream::Lane>;
  return *lanes;
}

thread_local RunStream* innermost = nullptr;

RunStream::Lane take_lane() {
  const std::lock_guard<std::mutex> lock(lanes_mutex);
  auto& idle = idle_lanes();
  if (idle.empty()) return {c10::cuda::getStreamFromPool(), nullptr};
  const RunStream::Lane lane = idle.back();
  idle.pop_back();
  return lane;
}

bool holds_much_memory() {
  size_t free = 0, total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const auto stats = allocator::getDeviceStats(c10::cuda::current_device());
  const auto all =
      static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return static_cast<double>(stats.reserved_bytes[all].current) >
         kSmallPart * static_cast<double>(total);
}

// LibTorch keeps memory for graphs as long as a graph uses it.
std::shared_ptr<at::cuda::CUDAGraph> hold_new_memory() {
  auto graph = std::make_shared<at::cuda::CUDAGraph>();
  graph->capture_begin(at::cuda::graph_pool_handle(),
                       cudaStreamCaptureModeThreadLocal);
  at::zeros({1}, at::kCUDA);
  graph->capture_end();
  return graph;
}

void let_go_of_idle_memory() {
  const std::lock_guard<std::mutex> lock(lanes_mutex);
  for (RunStream::Lane& lane : idle_lanes()) lane.memory.reset();
}

}  // namespace

RunStream::RunStream()
    : lane_(take_lane()), guard_(lane_.stream), outer_(innermost) {
  innermost = this;
}

RunStream::~RunStream() {
  // A failure is reported by the next call that asks the device.
  (void)cudaStreamSynchronize(lane_.stream.stream());
  innermost = outer_;
  const std::lock_guard<std::mutex> lock(lanes_mutex);
  // Moved, so that its memory is given up by those who record, in their turn.
  idle_lanes().push_back(std::move(lane_));
}

c10::MempoolId_t graph_memory() {
  if (holds_much_memory()) {
    let_go_of_idle_memory();
    forget_graph_memory();
    allocator::emptyCache();
  }
  if (innermost == nullptr) return at::cuda::graph_pool_handle();
  std::shared_ptr<at::cuda::CUDAGraph>& memory = innermost->lane_.memory;
  if (!memory) memory = hold_new_memory();
  return memory->pool();
}

void forget_graph_memory() {
  if (innermost != nullptr) innermost->lane_.memory.reset();
}

}  // namespace ordered_gnn::training
