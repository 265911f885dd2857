#include "scale/spill/paged_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <tuple>
#include <unordered_map>

#include "scale/spill/page_faults.h"

namespace ordered_gnn::scale {

struct PagedMemory::Block {
  enum class Busy { no, writing, reading };

  char* at = nullptr;
  size_t bytes = 0;
  int64_t part = 0;
  int64_t number = 0;  ///< among those that the part has made in its pass
  int64_t slot = -1;   ///< in the file
  bool is_resident = true;
  bool is_dirty = true;   ///< not what the slot has
  bool is_ahead = false;  ///< read, and not yet touched
  int access = PROT_READ | PROT_WRITE;
  Busy busy = Busy::no;
  uint64_t used = 0;

  int64_t size() const { return static_cast<int64_t>(bytes); }
  void allow(int wanted) {
    if (access == wanted) return;
    ::mprotect(at, bytes, wanted);
    access = wanted;
  }
};

namespace {

// Of a pass of a part.
constexpr int64_t kMostBlocks = 1'000'000;
// The last that were touched stay, whatever the budget: an instruction that
// reads one and writes another, on several threads, has to find both there.
constexpr uint64_t kRecent = 8;
constexpr size_t kSmallPage = size_t{1} << 12;
constexpr size_t kLargePage = size_t{1} << 21;

// A null pointer when the system refuses.
char* map_pages(size_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  if (bytes >= kLargePage) ::madvise(at, bytes, MADV_HUGEPAGE);
  return static_cast<char*>(at);
}

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
  Source(PagedMemory& memory, int64_t part) : memory_(memory), part_(part) {}

  c10::DataPtr take(size_t bytes) override {
    if (static_cast<int64_t>(bytes) < memory_.settings_.least_block) return {};
    void* const at = memory_.take(part_, bytes);
    return {at, at, &PagedMemory::free_block,
            c10::Device(c10::DeviceType::CPU)};
  }

 private:
  PagedMemory& memory_;
  const int64_t part_;
};

PagedMemory::Scope::Scope(PagedMemory& memory, int64_t part)
    : source_(std::make_unique<Source>(memory, part)),
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

int64_t PagedMemory::distance(int64_t part) const {
  return (part - current_ + settings_.parts) % settings_.parts;
}

void PagedMemory::begin_pass(int64_t kind) {
  const std::lock_guard<std::mutex> lock(mutex_);
  end_turn();
  kind_ = kind;
  turn_ = -1;
  made_.assign(settings_.parts, 0);
}

// What was touched is expected of the next part, what was read for nothing is
// not.
void PagedMemory::end_turn() {
  std::set<int64_t>& expected = expected_[{kind_, turn_}];
  expected.insert(touched_.begin(), touched_.end());
  for (const auto& [at, block] : blocks_) {
    if (block->part == current_ && block->is_ahead) {
      expected.erase(block->number);
    }
  }
  touched_.clear();
}

void PagedMemory::begin_turn(int64_t part) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    if (turn_ >= 0) end_turn();
    current_ = part;
    if (part == 0) ++turn_;
  }
  wanted_.notify_all();
}

PagedMemory::Block* PagedMemory::find(const void* address) {
  const char* const at = static_cast<const char*>(address);
  auto after = blocks_.upper_bound(at);
  if (after == blocks_.begin()) return nullptr;
  Block& block = *std::prev(after)->second;
  return at < block.at + block.bytes ? &block : nullptr;
}

// A spare block of about this size, or a new one.
char* PagedMemory::mapped(size_t& bytes) {
  const auto found = spare_.lower_bound(bytes);
  if (found != spare_.end() && found->first <= bytes + bytes / 8) {
    char* const at = found->second;
    bytes = found->first;
    spare_.erase(found);
    return at;
  }
  return nullptr;
}

void* PagedMemory::take(int64_t part, size_t bytes) {
  bytes = (bytes + kSmallPage - 1) / kSmallPage * kSmallPage;
  Lock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  char* at = mapped(bytes);
  if (at == nullptr) {
    make_room(static_cast<int64_t>(bytes), /*least_distance=*/0, lock);
    if (failure_) std::rethrow_exception(failure_);
    at = map_pages(bytes);
    if (at == nullptr) throw std::bad_alloc();
    counts_.resident += static_cast<int64_t>(bytes);
    counts_.peak = std::max(counts_.peak, counts_.resident);
  }
  auto block = std::make_unique<Block>();
  block->at = at;
  block->bytes = bytes;
  block->part = part;
  block->number = kind_ * kMostBlocks + made_[part]++;
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

// Called by a thread that cannot go on without the page.
bool PagedMemory::touch(const void* address, bool writes) {
  Lock lock(mutex_);
  Block* const block = find(address);
  if (block == nullptr) return false;
  settled_.wait(lock, [&] { return block->busy == Block::Busy::no; });
  block->used = ++clock_;
  if (block->part == current_) touched_.insert(block->number);
  if (!block->is_resident) {
    ++counts_.waits;
    try {
      fill(*block, lock, /*is_ahead=*/false);
    } catch (const std::exception& error) {
      lose(error.what());
    }
  }
  block->is_ahead = false;
  if (writes) {
    block->is_dirty = true;
    block->allow(PROT_READ | PROT_WRITE);
  } else if (block->access == PROT_NONE) {
    block->allow(PROT_READ);
  }
  return true;
}

// Read elsewhere and put into its place in one move: nobody sees half of it.
// False when it was to be read ahead and there is no room for that.
bool PagedMemory::fill(Block& block, Lock& lock, bool is_ahead) {
  block.busy = Block::Busy::reading;
  if (!make_room(block.size(), is_ahead ? 2 : 0, lock) && is_ahead) {
    block.busy = Block::Busy::no;
    settled_.notify_all();
    return false;
  }
  counts_.resident += block.size();
  counts_.peak = std::max(counts_.peak, counts_.resident);
  lock.unlock();
  const int access = is_ahead ? PROT_NONE : PROT_READ;
  std::exception_ptr failure;
  try {
    place_pages(file_, block, access);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  block.busy = Block::Busy::no;
  settled_.notify_all();
  if (failure) {
    counts_.resident -= block.size();
    std::rethrow_exception(failure);
  }
  counts_.read += block.size();
  block.access = access;
  block.is_resident = true;
  block.is_dirty = false;
  block.is_ahead = is_ahead;
  return true;
}

void PagedMemory::place_pages(const SpillFile& file, const Block& block,
                              int access) {
  char* const pages = map_pages(block.bytes);
  if (pages == nullptr) throw std::bad_alloc();
  try {
    file.read(pages, block.size(), block.slot);
  } catch (...) {
    ::munmap(pages, block.bytes);
    throw;
  }
  ::mprotect(pages, block.bytes, access);
  ::mremap(pages, block.bytes, block.bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
           block.at);
}

bool PagedMemory::drop_spare() {
  if (spare_.empty()) return false;
  const auto largest = std::prev(spare_.end());
  ::munmap(largest->second, largest->first);
  counts_.resident -= static_cast<int64_t>(largest->first);
  spare_.erase(largest);
  return true;
}

// Of the part whose turn is farthest away, what need not be written first, then
// what was not used for longest.
PagedMemory::Block* PagedMemory::victim(int64_t least_distance) {
  Block* best = nullptr;
  const auto rank = [this](const Block& block) {
    return std::make_tuple(-distance(block.part), block.is_dirty, block.used);
  };
  for (const auto& [at, block] : blocks_) {
    if (!block->is_resident || block->busy != Block::Busy::no ||
        distance(block->part) < least_distance ||
        block->used + kRecent > clock_) {
      continue;
    }
    if (best == nullptr || rank(*block) < rank(*best)) best = block.get();
  }
  return best;
}

// False when there is none to be had. Who holds a page may never wait for one
// who reads, for that one waits for room itself.
bool PagedMemory::make_room(int64_t bytes, int64_t least_distance, Lock& lock) {
  while (counts_.resident + bytes > budget_) {
    if (drop_spare()) continue;
    if (Block* const block = victim(least_distance)) {
      if (!evict(*block, lock)) return false;
      continue;
    }
    const bool is_on_its_way =
        std::any_of(blocks_.begin(), blocks_.end(), [](const auto& one) {
          return one.second->busy == Block::Busy::writing;
        });
    if (!is_on_its_way) return false;
    settled_.wait(lock);
  }
  return true;
}

bool PagedMemory::evict(Block& block, Lock& lock) {
  if (block.is_dirty && !clean(block, lock)) return false;
  // Somebody may have touched it since.
  if (block.is_dirty || !block.is_resident || block.busy != Block::Busy::no) {
    return true;
  }
  block.allow(PROT_NONE);
  ::madvise(block.at, block.bytes, MADV_DONTNEED);
  block.is_resident = block.is_ahead = false;
  counts_.resident -= block.size();
  return true;
}

// Writes it; whoever wants to change it meanwhile waits.
bool PagedMemory::clean(Block& block, Lock& lock) {
  block.busy = Block::Busy::writing;
  block.allow(PROT_READ);
  counts_.written += block.size();
  lock.unlock();
  std::exception_ptr failure;
  try {
    if (block.slot < 0) block.slot = file_.take(block.size());
    file_.write(block.at, block.size(), block.slot);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  block.busy = Block::Busy::no;
  settled_.notify_all();
  if (failure) {
    if (!failure_) failure_ = failure;
    return false;
  }
  block.is_dirty = false;
  return true;
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

void PagedMemory::work() {
  Lock lock(mutex_);
  while (!ends_) {
    if (!failure_ && (read_ahead(lock) || write_behind(lock))) continue;
    wanted_.wait(lock);
  }
}

bool PagedMemory::read_ahead(Lock& lock) {
  if (settings_.parts < 2) return false;
  const int64_t next = (current_ + 1) % settings_.parts;
  const auto expected = expected_.find({kind_, next == 0 ? turn_ + 1 : turn_});
  if (expected == expected_.end()) return false;
  const auto wanted =
      std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& one) {
        const Block& block = *one.second;
        return block.part == next && !block.is_resident &&
               block.busy == Block::Busy::no &&
               expected->second.count(block.number) > 0;
      });
  if (wanted == blocks_.end()) return false;
  try {
    return fill(*wanted->second, lock, /*is_ahead=*/true);
  } catch (...) {
    failure_ = std::current_exception();
    return false;
  }
}

bool PagedMemory::write_behind(Lock& lock) {
  if (counts_.resident < budget_ / 4 * 3) return false;
  Block* farthest = nullptr;
  for (const auto& [at, block] : blocks_) {
    if (!block->is_resident || !block->is_dirty ||
        block->busy != Block::Busy::no || distance(block->part) < 2) {
      continue;
    }
    if (farthest == nullptr ||
        distance(block->part) > distance(farthest->part)) {
      farthest = block.get();
    }
  }
  return farthest != nullptr && clean(*farthest, lock);
}

}  // namespace ordered_gnn::scale
