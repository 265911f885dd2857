#pragma once
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

// Host side of a launch: sizes that follow from the problem alone, so that
// results do not depend on the device or on what else runs on it.
namespace ordered_gnn::cuda {

constexpr int kBlockThreads = 256;
constexpr int kBlockWarps = kBlockThreads / 32;
/// Of an H200, for kernels whose blocks are to fill it once.
constexpr int64_t kMultiprocessors = 132;
/// Blocks of kernels that sum over all rows, each of which leaves one partial
/// sum.
constexpr int64_t kSumBlocks = 4 * kMultiprocessors;
/// Shared memory that every device gives a block without being asked.
constexpr int64_t kSharedBytes = 48 * 1024;

inline int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Blocks of a kernel that sums over `rows`, `warps` of them at a time.
inline int64_t sum_blocks(int64_t rows, int64_t warps) {
  return std::min(kSumBlocks, divided_up(rows, warps));
}

/// Whether all pointers allow 16-byte loads; null ones do not matter.
template <typename... Pointers>
bool all_aligned(const Pointers*... pointers) {
  return ((reinterpret_cast<uintptr_t>(pointers) % 16 == 0) && ...);
}

/// Something that a device is asked for once, since asking takes the host a
/// part of what a launch does. Several threads may use it.
class OncePerDevice {
 public:
  /// ask(), unless it was successful for the current device before.
  template <typename Ask>
  cudaError_t ask(const Ask& ask) {
    int device = 0;
    const cudaError_t found = cudaGetDevice(&device);
    if (found != cudaSuccess) return found;
    const uint64_t bit = device < 64 ? uint64_t{1} << device : 0;
    if ((done_.load(std::memory_order_relaxed) & bit) != 0) return cudaSuccess;
    const cudaError_t status = ask();
    if (status == cudaSuccess) done_.fetch_or(bit, std::memory_order_relaxed);
    return status;
  }

 private:
  std::atomic<uint64_t> done_{0};  // a bit per device
};

}  // namespace ordered_gnn::cuda
