#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ordered_gnn::data {

/// Finds the position of a text in a list. A table with open addressing: a
/// look-up costs the cache a slot and a text, half of what a node-based map
/// costs it.
class NameIndex {
 public:
  /// Indexes `names`, which must outlive this, stay in its place and keep its
  /// texts.
  /// @return the position of the first name that occurred before, or -1.
  int64_t build(const std::vector<std::string>& names);

  /// Indexes the last of `names`, which is none of those before and follows
  /// those that are indexed already: for a list that grows as names are met.
  void add_last(const std::vector<std::string>& names);

  /// -1 when there is none.
  int64_t find(std::string_view name) const {
    return find(name, hash_of(name));
  }
  int64_t find(std::string_view name, uint64_t hash) const {
    if (slots_.empty()) return -1;
    for (uint64_t at = hash & mask_; slots_[at].name != kEmpty;
         at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.tag == tag_of(hash) && (*names_)[slot.name] == name) {
        return slot.name;
      }
    }
    return -1;
  }

  /// For many look-ups at a time, whose waits for memory then overlap: first
  /// fetch_slot() for all, then fetch_name() for all, then find().
  void fetch_slot(uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask_]);
  }
  void fetch_name(uint64_t hash) const {
    if (slots_.empty()) return;
    const Slot& slot = slots_[hash & mask_];
    if (slot.name != kEmpty) __builtin_prefetch(&(*names_)[slot.name]);
  }

  /// Mixes in eight bytes at a time; the last eight may overlap those before.
  static uint64_t hash_of(std::string_view text) {
    const char* const begin = text.data();
    const size_t size = text.size();
    uint64_t hash = 0x9E3779B97F4A7C15u ^ size;
    if (size < 8) return mixed(hash ^ load_short(begin, size));
    for (size_t at = 0; at + 8 < size; at += 8) {
      hash = mixed(hash ^ load<uint64_t>(begin + at));
    }
    return mixed(hash ^ load<uint64_t>(begin + size - 8));
  }

 private:
  struct Slot {
    uint32_t tag;
    uint32_t name;
  };
  static constexpr uint32_t kEmpty = 0xFFFFFFFF;

  void reset(const std::vector<std::string>& names);
  // False when the name is there already.
  bool insert(size_t position, uint64_t hash);

  template <typename T>
  static uint64_t load(const char* bytes) {
    T word = 0;
    std::memcpy(&word, bytes, sizeof(T));
    return word;
  }
  // Different for texts that differ, of one size below 8.
  static uint64_t load_short(const char* bytes, size_t size) {
    if (size >= 4) {
      return load<uint32_t>(bytes) << 32 | load<uint32_t>(bytes + size - 4);
    }
    if (size >= 2) {
      return load<uint16_t>(bytes) << 32 | load<uint16_t>(bytes + size - 2);
    }
    return size == 0 ? 0 : load<uint8_t>(bytes);
  }
  static uint64_t mixed(uint64_t word) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(word) * 0xD6E8FEB86659FD93u;
    return static_cast<uint64_t>(product) ^
           static_cast<uint64_t>(product >> 64);
  }
  static uint32_t tag_of(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 32);
  }

  const std::vector<std::string>* names_ = nullptr;
  std::vector<Slot> slots_;
  uint64_t mask_ = 0;
};

}  // namespace ordered_gnn::data
