#include "scale/spill/paged_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <new>
#include <unordered_map>

#include "scale/spill/page_faults.h"
#include "scale/spill/paged_block.h"

namespace ordered_gnn::scale {
namespace {

// Of a pass of a part.
constexpr int64_t kMostBlocks = 1'000'000;
constexpr size_t kSmallPage = size_t{1} << 12;

// Blocks that outlived their memory: plain ones since.
class Orphans {
 public:
  void add(char* at, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sizes_.emplace(at, bytes);
  }
  void release(void* at) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = sizes_.find(at);
    if (found == sizes_.end()) return;
    ::munmap(at, found->second);
    sizes_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, size_t> sizes_;
};

Orphans& orphans() {
  // Never destroyed: tensors of static lifetime are freed after main().
  static Orphans* const all = new Orphans;
  return *all;
}

}  // namespace

class PagedMemory::Scope::Source : public core::BlockSource {
 public:
  Source(PagedMemory& memory, int64_t part, bool in_order)
      : memory_(memory), part_(part), in_order_(in_order) {}

  c10::DataPtr take(size_t bytes) override {
    if (static_cast<int64_t>(bytes) < memory_.settings_.least_block) return {};
    void* const at = memory_.take(part_, bytes, in_order_);
    return {at, at, &PagedMemory::free_block,
            c10::Device(c10::DeviceType::CPU)};
  }

 private:
  PagedMemory& memory_;
  const int64_t part_;
  const bool in_order_;
};

PagedMemory::Scope::Scope(PagedMemory& memory, int64_t part, bool in_order)
    : source_(std::make_unique<Source>(memory, part, in_order)),
      outer_(core::thread_block_source()) {
  core::set_thread_block_source(source_.get());
}

PagedMemory::Scope::~Scope() { core::set_thread_block_source(outer_); }

PagedMemory::PagedMemory(SpillFile& file, Settings settings)
    : file_(file),
      settings_(std::move(settings)),
      budget_(settings_.budget),
      made_(settings_.parts, 0) {
  faults_ = std::make_unique<PageFaults>(*this);
  worker_ = std::thread([this] { work(); });
}

PagedMemory::~PagedMemory() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  wanted_.notify_all();
  worker_.join();
  Lock lock(mutex_);
  while (drop_spare()) {
  }
  budget_ = std::numeric_limits<int64_t>::max() / 2;
  for (const auto& [at, block] : blocks_) {
    if (!block->is_resident) fill(*block, lock, /*is_ahead=*/false);
    block->allow(PROT_READ | PROT_WRITE);
    orphans().add(block->at, block->bytes);
  }
  blocks_.clear();
  lock.unlock();
  faults_.reset();
}

void PagedMemory::set_budget(int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  budget_ = bytes;
}

PagedMemory::Counts PagedMemory::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

PagedMemory::Block* PagedMemory::find(const void* address) {
  const char* const at = static_cast<const char*>(address);
  auto after = blocks_.upper_bound(at);
  if (after == blocks_.begin()) return nullptr;
  Block& block = *std::prev(after)->second;
  return at < block.at + block.bytes ? &block : nullptr;
}

void* PagedMemory::take(int64_t part, size_t bytes, bool in_order) {
  bytes = (bytes + kSmallPage - 1) / kSmallPage * kSmallPage;
  Lock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  char* const at = take_pages(bytes, /*is_ahead=*/false, lock);
  if (at == nullptr) throw std::bad_alloc();
  if (failure_) {
    spare_.emplace(bytes, at);
    std::rethrow_exception(failure_);
  }
  auto block = std::make_unique<Block>();
  block->at = at;
  block->bytes = bytes;
  block->part = part;
  if (in_order) block->number = kind_ * kMostBlocks + made_[part]++;
  block->used = ++clock_;
  blocks_.emplace(at, std::move(block));
  return at;
}

bool PagedMemory::release(void* address) {
  Lock lock(mutex_);
  Block* const block = find(address);
  if (block == nullptr) return false;
  settled_.wait(lock, [&] { return block->busy == Block::Busy::no; });
  if (block->slot >= 0) file_.give_back(block->slot, block->size());
  if (block->is_resident) {
    block->allow(PROT_READ | PROT_WRITE);
    spare_.emplace(block->bytes, block->at);
  } else {
    ::munmap(block->at, block->bytes);
  }
  blocks_.erase(block->at);
  return true;
}

void PagedMemory::free_block(void* address) {
  PagedMemory* const memory = PageFaults::memory();
  if (memory != nullptr && memory->release(address)) return;
  orphans().release(address);
}

void PagedMemory::lose(const std::string& message) const {
  if (settings_.on_lost) settings_.on_lost(message);
  ::_exit(1);
}

bool PagedMemory::is_on_disk(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Block* const block = find(address);
  return block != nullptr && !block->is_resident;
}

void PagedMemory::copy(const void* from, int64_t bytes, void* to) {
  int64_t offset = -1;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Block* const block = find(from);
    if (block != nullptr && !block->is_resident) {
      offset = block->slot + (static_cast<const char*>(from) - block->at);
      counts_.read += bytes;
    }
  }
  if (offset >= 0) {
    file_.read(to, bytes, offset);
  } else {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

}  // namespace ordered_gnn::scale
