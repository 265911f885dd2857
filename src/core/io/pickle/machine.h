#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/io/pickle/cursor.h"
#include "core/io/pickle/store.h"

namespace ordered_gnn::core {

/// Stack, marks and memo of the pickle format. Only builds values. Every
/// opcode adds at most one entry anywhere, so all sizes are bounded by the
/// number of bytes read.
class PickleMachine {
 public:
  using Slot = PickleStore::Slot;

  PickleMachine(PickleStore& store, const PickleCursor& cursor)
      : store_(store), cursor_(cursor) {}

  void push(const Slot& slot) { stack_.push_back(slot); }
  void push_new(PickleKind kind) { push(make(kind, {})); }
  /// The value on top, which must be above the last mark.
  Slot pop();
  void mark() { marks_.push_back(stack_.size()); }

  /// The newest `count` values become a tuple.
  void tuple(size_t count);
  void tuple_to_mark();
  /// The newest `count` values become elements of the list below them, or
  /// pairs of the dict below them.
  void extend(PickleKind kind, size_t count);
  void extend_to_mark(PickleKind kind);
  /// A constructor and its tuple of arguments become an object.
  void construct();
  /// The value on top becomes the state of the object below it.
  void set_state();
  /// Pushes the constructor of this name.
  /// @throws Error when it is not admitted.
  void push_constructor(std::string_view module, std::string_view name);

  void put(uint64_t index);
  void put_next() { put(memo_.size()); }
  void get(uint64_t index);

  /// The only value left.
  Slot finish();

 private:
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  void require(size_t count) const;
  size_t count_to_mark();
  Slot make(PickleKind kind, std::vector<Slot> items);
  Slot make_object(const Slot& constructor, const Slot& arguments);
  void hold(const Slot& slot);
  PickleStore::Node& changeable(const Slot& slot, PickleKind kind);

  PickleStore& store_;
  const PickleCursor& cursor_;
  std::vector<Slot> stack_;
  std::vector<size_t> marks_;  // stack sizes
  std::unordered_map<uint64_t, Slot> memo_;
};

}  // namespace ordered_gnn::core
