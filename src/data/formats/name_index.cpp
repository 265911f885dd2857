#include "data/formats/name_index.h"

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

int64_t NameIndex::build(const std::vector<std::string>& names) {
  if (names.size() >= kEmpty / 2) {
    fail("expected fewer than {} names, got {}", kEmpty / 2, names.size());
  }
  names_ = &names;
  uint64_t capacity = 16;
  while (capacity < 2 * names.size()) capacity *= 2;
  slots_.assign(capacity, Slot{0, kEmpty});
  mask_ = capacity - 1;
  for (size_t i = 0; i < names.size(); ++i) {
    if (find(names[i]) >= 0) return static_cast<int64_t>(i);
    const uint64_t hash = hash_of(names[i]);
    uint64_t at = hash & mask_;
    while (slots_[at].name != kEmpty) at = (at + 1) & mask_;
    slots_[at] = {tag_of(hash), static_cast<uint32_t>(i)};
  }
  return -1;
}

}  // namespace ordered_gnn::data
