// Parts of a PagedMemory take turns: a thread writes what the part before has
// changed and reads what the next will touch.
#include <algorithm>

#include "scale/spill/paged_block.h"

namespace ordered_gnn::scale {

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
