// Which blocks of a PagedMemory are in memory: what is touched comes, what is
// farthest away goes.
#include <algorithm>
#include <new>
#include <tuple>

#include "scale/spill/paged_block.h"

namespace ordered_gnn::scale {
namespace {

// The last that were touched stay, whatever the budget: an instruction that
// reads one and writes another, on several threads, has to find both there.
constexpr uint64_t kRecent = 8;
constexpr size_t kLargePage = size_t{1} << 21;
// MREMAP_DONTUNMAP of Linux 5.7, which not all headers have.
constexpr int kKeepMapped = 4;

}  // namespace

// At such bounds large pages are moved as they are, instead of small ones of
// which every one is a fault of its own.
char* map_pages(size_t bytes) {
  const size_t room = bytes < kLargePage ? 0 : kLargePage;
  void* const at = ::mmap(nullptr, bytes + room, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(at);
  if (room == 0) return begin;
  const size_t before =
      (kLargePage - reinterpret_cast<uintptr_t>(at) % kLargePage) % kLargePage;
  if (before > 0) ::munmap(begin, before);
  if (before < room) ::munmap(begin + before + bytes, room - before);
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

// Called by a thread that cannot go on without the page.
bool PagedMemory::touch(const void* address, bool writes) {
  Lock lock(mutex_);
  Block* const block = find(address);
  if (block == nullptr) return false;
  settled_.wait(lock, [&] { return block->busy == Block::Busy::no; });
  block->used = ++clock_;
  if (block->part == current_ && block->number >= 0) {
    touched_.insert(block->number);
  }
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

// Calls move() while the block is busy and others have the lock; then it is
// busy no more. What was thrown, if anything.
template <typename Move>
std::exception_ptr PagedMemory::move_unlocked(Block& block, Lock& lock,
                                              const Move& move) {
  lock.unlock();
  std::exception_ptr failure;
  try {
    move();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  block.busy = Block::Busy::no;
  settled_.notify_all();
  return failure;
}

// Read elsewhere and put into its place in one move: nobody sees half of it.
// False when it was to be read ahead and there is no room for that.
bool PagedMemory::fill(Block& block, Lock& lock, bool is_ahead) {
  block.busy = Block::Busy::reading;
  char* const pages = take_pages(block.bytes, is_ahead, lock);
  if (pages == nullptr) {
    block.busy = Block::Busy::no;
    settled_.notify_all();
    if (!is_ahead) throw std::bad_alloc();
    return false;
  }
  const int access = is_ahead ? PROT_NONE : PROT_READ;
  const std::exception_ptr failure = move_unlocked(
      block, lock, [&] { place_pages(file_, block, access, pages); });
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
                              int access, char* pages) {
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

// At least as large and at most twice; the end when there is none.
PagedMemory::Spare::iterator PagedMemory::fitting_spare(size_t bytes) {
  const auto found = spare_.lower_bound(bytes);
  const bool fits = found != spare_.end() && found->first / 2 <= bytes;
  return fits ? found : spare_.end();
}

// A spare block that fits, cut to size, or a null pointer.
char* PagedMemory::spare_of(size_t bytes) {
  const auto found = fitting_spare(bytes);
  if (found == spare_.end()) return nullptr;
  char* const at = found->second;
  const size_t more = found->first - bytes;
  if (more > 0) ::munmap(at + bytes, more);
  counts_.resident -= static_cast<int64_t>(more);
  spare_.erase(found);
  return at;
}

// Pages that are counted as resident: spare ones, which need not be zeroed page
// by page as new ones are. A null pointer when there are none, of those to be
// read ahead also when there is no room.
char* PagedMemory::take_pages(size_t bytes, bool is_ahead, Lock& lock) {
  const auto size = static_cast<int64_t>(bytes);
  if (char* const at = spare_of(bytes)) return at;
  if (!make_room(size, is_ahead ? 2 : 0, lock) && is_ahead) return nullptr;
  // What gave way may have left them.
  if (char* const at = spare_of(bytes)) return at;
  char* const at = map_pages(bytes);
  if (at == nullptr) return nullptr;
  counts_.resident += size;
  counts_.peak = std::max(counts_.peak, counts_.resident);
  return at;
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

// True also when there is a spare block instead, see spare_of(); false when
// there is none to be had. Who holds a page may never wait for one
// who reads, for that one waits for room itself.
bool PagedMemory::make_room(int64_t bytes, int64_t least_distance, Lock& lock) {
  while (counts_.resident + bytes > budget_) {
    if (fitting_spare(static_cast<size_t>(bytes)) != spare_.end()) return true;
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
  block.is_resident = block.is_ahead = false;
  if (char* const pages = pages_out_of(block)) {
    spare_.emplace(block.bytes, pages);
    return true;
  }
  ::madvise(block.at, block.bytes, MADV_DONTNEED);
  counts_.resident -= block.size();
  return true;
}

// The pages of a block that nobody may touch, elsewhere; its place stays taken.
// A null pointer where the system cannot do that.
char* PagedMemory::pages_out_of(const Block& block) {
  char* const to = map_pages(block.bytes);
  if (to == nullptr) return nullptr;
  if (::mremap(block.at, block.bytes, block.bytes,
               MREMAP_MAYMOVE | MREMAP_FIXED | kKeepMapped, to) == MAP_FAILED) {
    ::munmap(to, block.bytes);
    return nullptr;
  }
  ::mprotect(to, block.bytes, PROT_READ | PROT_WRITE);
  return to;
}

// Writes it; whoever wants to change it meanwhile waits.
bool PagedMemory::clean(Block& block, Lock& lock) {
  block.busy = Block::Busy::writing;
  block.allow(PROT_READ);
  counts_.written += block.size();
  const std::exception_ptr failure = move_unlocked(block, lock, [&] {
    if (block.slot < 0) block.slot = file_.take(block.size());
    file_.write(block.at, block.size(), block.slot);
  });
  if (failure) {
    if (!failure_) failure_ = failure;
    return false;
  }
  block.is_dirty = false;
  return true;
}

}  // namespace ordered_gnn::scale
