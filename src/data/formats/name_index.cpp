#include "data/formats/name_index.h"

#include <algorithm>
#include <array>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

int64_t NameIndex::build(const std::vector<std::string>& names) {
  reset(names);
  // The slots of a batch are asked for together: one by one each name would
  // wait for memory.
  constexpr size_t kBatch = 32;
  std::array<uint64_t, kBatch> hashes;
  for (size_t begin = 0; begin < names.size(); begin += kBatch) {
    const size_t end = std::min(begin + kBatch, names.size());
    for (size_t i = begin; i < end; ++i) {
      hashes[i - begin] = hash_of(names[i]);
      fetch_slot(hashes[i - begin]);
    }
    for (size_t i = begin; i < end; ++i) {
      if (!insert(i, hashes[i - begin])) return static_cast<int64_t>(i);
    }
  }
  return -1;
}

void NameIndex::add_last(const std::vector<std::string>& names) {
  if (names.size() > slots_.size() / 2) {
    build(names);
  } else {
    insert(names.size() - 1, hash_of(names.back()));
  }
}

void NameIndex::reset(const std::vector<std::string>& names) {
  if (names.size() >= kEmpty / 2) {
    fail("expected fewer than {} names, got {}", kEmpty / 2, names.size());
  }
  names_ = &names;
  uint64_t capacity = 16;
  while (capacity < 2 * names.size()) capacity *= 2;
  slots_.assign(capacity, Slot{0, kEmpty});
  mask_ = capacity - 1;
}

bool NameIndex::insert(size_t position, uint64_t hash) {
  const std::string& name = (*names_)[position];
  uint64_t at = hash & mask_;
  for (; slots_[at].name != kEmpty; at = (at + 1) & mask_) {
    if (slots_[at].tag == tag_of(hash) && (*names_)[slots_[at].name] == name) {
      return false;
    }
  }
  slots_[at] = {tag_of(hash), static_cast<uint32_t>(position)};
  return true;
}

}  // namespace ordered_gnn::data
