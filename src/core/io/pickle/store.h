#pragma once
#include <string>
#include <vector>

#include "core/io/pickle/pickle.h"

namespace ordered_gnn::core {

/// All values of a pickle in flat arrays, so that neither reading nor freeing
/// a deeply nested one recurses. Containers refer to nodes by index.
struct PickleStore {
  using Slot = PickleValue::Slot;

  /// list, tuple: the elements. dict: key, value, key, value, ... object:
  /// constructor, arguments, state.
  struct Node {
    std::vector<Slot> items;
    /// Another value holds it. Such a value may not change any more, which is
    /// what keeps cycles out.
    bool held = false;
  };

  std::string bytes;  // strings point into it
  std::string place;
  std::vector<Node> nodes;
  Slot root;

  PickleValue value(const Slot& slot) const { return {this, slot}; }
  static bool has_node(const Slot& slot) {
    return slot.kind >= PickleKind::list;
  }
};

}  // namespace ordered_gnn::core
