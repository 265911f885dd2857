#include <ATen/EmptyTensor.h>
#include <ATen/Functions.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <torch/version.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

#include "core/block_source.h"
#include "core/recycled_tensor.h"
#include "core/recycling_scope.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn {
namespace {

// Below this, malloc() is good at it.
constexpr size_t kLarge = size_t{1} << 20;
constexpr size_t kPage = size_t{1} << 12;
constexpr size_t kHugePage = size_t{1} << 21;

// A null pointer when the system refuses. Nobody has touched them: they will be
// near the thread that writes to them first.
void* fresh_pages(size_t size) {
  void* const block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

// The same from a bound of huge pages on: the system makes one only where all
// of it is asked for.
void* huge_pages(size_t size) {
  auto* const block = static_cast<char*>(fresh_pages(size + kHugePage));
  if (block == nullptr) return fresh_pages(size);
  const size_t before =
      (kHugePage - reinterpret_cast<uintptr_t>(block) % kHugePage) % kHugePage;
  if (before > 0) ::munmap(block, before);
  ::munmap(block + before + size, kHugePage - before);
  ::madvise(block + before, size, MADV_HUGEPAGE);
  return block + before;
}

// Large blocks, kept when freed for the next request of about their size. An
// epoch asks for the same sizes again and again, and fresh pages cost more than
// the arithmetic on them. Huge pages, where the system grants them, also spare
// most of the address look-ups of a gather.
class BlockCache {
 public:
  void* take(size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    size = (size + kPage - 1) / kPage * kPage;
    const auto found = free_.lower_bound(size);
    if (found != free_.end() && found->first <= size + size / 8) {
      void* const block = found->second;
      live_ += found->first;
      free_.erase(found);
      return block;
    }
    shrink(size);
    void* block = map(size);
    if (block == nullptr) {
      release_kept();
      block = map(size);
    }
    if (block == nullptr) throw std::bad_alloc();
    live_ += size;
    peak_ = std::max(peak_, live_);
    return block;
  }

  // False for a block of malloc().
  bool give_back(void* block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = sizes_.find(block);
    if (found == sizes_.end()) return false;
    live_ -= found->second;
    free_.emplace(found->second, block);
    return true;
  }

  void release_unused() {
    const std::lock_guard<std::mutex> lock(mutex_);
    release_kept();
  }

  // Nobody is at it while the process forks: workers that load data do.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  // Blocks in use and kept ones together take little more than what was once
  // in use at a time: keeping must not raise the peak. The smallest block that
  // makes enough room goes, so that a small request costs no large block.
  void shrink(size_t wanted) {
    const size_t peak = std::max(peak_, live_ + wanted);
    const size_t allowed = peak + peak / 32;
    while (!free_.empty() && mapped_ + wanted > allowed) {
      auto victim = free_.lower_bound(mapped_ + wanted - allowed);
      if (victim == free_.end()) victim = std::prev(victim);
      release(victim->second, victim->first);
      free_.erase(victim);
    }
  }

  void release_kept() {
    for (const auto& [size, block] : free_) release(block, size);
    free_.clear();
  }

  // A null pointer when the system refuses.
  void* map(size_t size) {
    void* const block = size < kHugePage ? fresh_pages(size) : huge_pages(size);
    if (block == nullptr) return nullptr;
    sizes_.emplace(block, size);
    mapped_ += size;
    return block;
  }

  void release(void* block, size_t size) {
    sizes_.erase(block);
    mapped_ -= size;
    ::munmap(block, size);
  }

  std::mutex mutex_;
  size_t live_ = 0;    // bytes in use
  size_t peak_ = 0;    // most of them at a time
  size_t mapped_ = 0;  // bytes in use or kept
  std::multimap<size_t, void*> free_;
  std::unordered_map<void*, size_t> sizes_;  // of all blocks, free or not
};

BlockCache& cache() {
  // Never destroyed: tensors of static lifetime are freed after main().
  static BlockCache* const blocks = new BlockCache;
  return *blocks;
}

void free_block(void* block) {
  if (block == nullptr || cache().give_back(block)) return;
  c10::free_cpu(block);
}

class RecyclingAllocator : public c10::Allocator {
 public:
  RecyclingAllocator() {
    ::pthread_atfork([] { cache().lock(); }, [] { cache().unlock(); },
                     [] { cache().unlock(); });
  }
#if TORCH_VERSION_MAJOR >= 2
  c10::DataPtr allocate(size_t size) override { return block_of(size); }
  void copy_data(void* to, const void* from, size_t size) const override {
    default_copy_data(to, from, size);
  }
#else
  c10::DataPtr allocate(size_t size) const override { return block_of(size); }
#endif
  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }

 private:
  static c10::DataPtr block_of(size_t size) {
    if (core::BlockSource* const source = core::thread_block_source()) {
      c10::DataPtr own = source->take(size);
      if (own) return own;
    }
    void* const block =
        size >= kLarge ? cache().take(size) : c10::alloc_cpu(size);
    return {block, block, &free_block, c10::Device(c10::DeviceType::CPU)};
  }
};

RecyclingAllocator& recycling_allocator() {
  static RecyclingAllocator allocator;
  return allocator;
}

std::atomic<bool> recycles_results{false};

thread_local core::BlockSource* block_source = nullptr;

}  // namespace

core::BlockSource* core::thread_block_source() { return block_source; }

void core::set_thread_block_source(BlockSource* source) {
  block_source = source;
}

void use_recycling_allocator() {
  c10::SetCPUAllocator(&recycling_allocator(), /*priority=*/1);
}

bool core::begin_recycling() {
  if (c10::GetCPUAllocator() == &recycling_allocator()) return true;
  if (c10::GetCPUAllocator() != c10::GetDefaultCPUAllocator()) return false;
  use_recycling_allocator();
  return true;
}

void core::end_recycling() {
  if (c10::GetCPUAllocator() != &recycling_allocator()) return;
  c10::SetCPUAllocator(c10::GetDefaultCPUAllocator(), /*priority=*/1);
  release_recycled_memory();
}

void core::recycle_results() { recycles_results = true; }

at::Tensor core::recycled_empty(at::IntArrayRef sizes,
                                const at::TensorOptions& options) {
  if (!recycles_results || !options.device().is_cpu()) {
    return at::empty(sizes, options);
  }
  return at::detail::empty_generic(
      sizes, &recycling_allocator(), c10::DispatchKeySet(c10::DispatchKey::CPU),
      c10::typeMetaToScalarType(options.dtype()), c10::nullopt);
}

void release_recycled_memory() {
  cache().release_unused();
  ::malloc_trim(0);
}

}  // namespace ordered_gnn
