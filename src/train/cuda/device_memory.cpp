#include "train/cuda/device_memory.h"

#include <ATen/Functions.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <atomic>
#include <mutex>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::training {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

// Of the last allocation that failed.
std::atomic<int64_t> asked_bytes{0};
std::atomic<int64_t> total_bytes{0};
std::atomic<int64_t> free_bytes{0};
std::atomic<int64_t> used_bytes{0};

const auto& all_pools(const c10::CachingAllocator::StatArray& stats) {
  return stats[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

c10::CachingDeviceAllocator::DeviceStats stats() {
  return allocator::getDeviceStats(c10::cuda::current_device());
}

}  // namespace

int64_t device_peak_bytes() { return all_pools(stats().allocated_bytes).peak; }

void reset_device_peak() {
  allocator::resetPeakStats(c10::cuda::current_device());
}

int64_t device_bytes() { return all_pools(stats().allocated_bytes).current; }

void watch_device_memory() {
  static std::once_flag once;
  std::call_once(once, [] {
    // The allocators of the devices listen from the first allocation on.
    at::empty({1}, at::kCUDA);
    allocator::attachOutOfMemoryObserver(
        [](int64_t /*device*/, size_t asked, size_t total, size_t free) {
          asked_bytes = static_cast<int64_t>(asked);
          total_bytes = static_cast<int64_t>(total);
          free_bytes = static_cast<int64_t>(free);
          used_bytes = device_bytes();
        });
  });
}

void throw_out_of_memory() {
  fail(
      "the GPU is out of memory: {} more were needed, {} of {} were free and "
      "{} in use by this program. Use --math bf16, --checkpoint-layers, fewer "
      "--workers, fewer --layers or a smaller --hidden",
      bytes_text(asked_bytes), bytes_text(free_bytes), bytes_text(total_bytes),
      bytes_text(used_bytes));
}

}  // namespace ordered_gnn::training
