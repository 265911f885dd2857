#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace ordered_gnn::core {

/// Rows of Graph::two_hop(), one at a time, with one mark per node, so that
/// memory besides the result is N words.
/// @tparam Lists  with num_nodes() and for_each(node, call), the in-lists of
///                the graph; they outlive this.
template <typename Lists>
class TwoHopRows {
 public:
  explicit TwoHopRows(const Lists& lists)
      : lists_(lists), mark_(static_cast<size_t>(lists.num_nodes()), -1) {}

  /// Calls found(u) for every u of row v, in no particular order. A row may be
  /// visited once until forget().
  template <typename Found>
  void visit(int64_t v, const Found& found) {
    mark_[v] = v;
    lists_.for_each(v, [&](auto u) { mark_[u] = v; });
    lists_.for_each(v, [&](auto middle) {
      lists_.for_each(middle, [&](auto u) {
        if (mark_[u] == v) return;
        mark_[u] = v;
        found(u);
      });
    });
  }

  /// Marks of an earlier walk over the same rows would hide what they found.
  void forget() { std::fill(mark_.begin(), mark_.end(), -1); }

 private:
  const Lists& lists_;
  std::vector<int64_t> mark_;
};

}  // namespace ordered_gnn::core
