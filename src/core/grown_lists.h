#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::core {

/// (row, column) of lists; in those of Graph::in() receiver and sender.
using ListEntry = std::pair<int64_t, int64_t>;

/// What edges add to the in-lists of a graph: entries that it does not have
/// yet, rising, each once.
///
/// @param num_nodes  with the new nodes, whose ids follow those of the graph.
/// @param edges      [2, E] int64 on the CPU, as Graph::from_edges() takes
///                   them; `options` are those the graph was built with, so
///                   that new nodes get a loop where loops were added.
/// @throws Error naming the first edge whose end is outside [0, num_nodes).
std::vector<ListEntry> added_entries(const Graph& graph, int64_t num_nodes,
                                     const at::Tensor& edges,
                                     const GraphOptions& options);

/// The lists of a graph with some entries more, without a copy of them: a graph
/// that has grown by a little. On the CPU.
class GrownLists {
 public:
  /// One way of the adjacency of a graph, as it is.
  explicit GrownLists(Adjacency lists);
  /// @param num_nodes  rows; those behind the old ones are empty but for
  ///                   `added`.
  /// @param added      none of them in `lists`, in any order.
  GrownLists(Adjacency lists, int64_t num_nodes, std::vector<ListEntry> added);

  int64_t num_nodes() const { return num_nodes_; }
  int64_t num_edges() const {
    return lists_.col.numel() + static_cast<int64_t>(added_.size());
  }

  int64_t degree(int64_t node) const {
    const Range more = added_to(node);
    return old_end(node) - old_begin(node) + (more.second - more.first);
  }

  /// Calls body(column) for every entry of a row, in rising order.
  template <typename Body>
  void for_each(int64_t node, const Body& body) const {
    Range more = added_to(node);
    for (int64_t e = old_begin(node); e < old_end(node); ++e) {
      const int64_t column = old_column(e);
      while (more.first < more.second &&
             added_[static_cast<size_t>(more.first)].second < column) {
        body(added_[static_cast<size_t>(more.first++)].second);
      }
      body(column);
    }
    while (more.first < more.second) {
      body(added_[static_cast<size_t>(more.first++)].second);
    }
  }

  /// All rows as lists of their own.
  Adjacency merged() const;

 private:
  using Range = std::pair<int64_t, int64_t>;  // of positions in added_

  int64_t old_begin(int64_t node) const {
    return rowptr_[std::min(node, old_nodes_)];
  }
  int64_t old_end(int64_t node) const {
    return rowptr_[std::min(node + 1, old_nodes_)];
  }
  int64_t old_column(int64_t entry) const {
    return narrow_ != nullptr ? int64_t{narrow_[entry]} : wide_[entry];
  }
  Range added_to(int64_t node) const {
    if (added_.empty()) return {0, 0};
    const auto first = std::lower_bound(
        added_.begin(), added_.end(), node,
        [](const ListEntry& entry, int64_t row) { return entry.first < row; });
    auto last = first;
    while (last != added_.end() && last->first == node) ++last;
    return {first - added_.begin(), last - added_.begin()};
  }

  Adjacency lists_;  // keeps alive what the pointers point to
  int64_t old_nodes_ = 0;
  int64_t num_nodes_ = 0;
  const int64_t* rowptr_ = nullptr;
  const int32_t* narrow_ = nullptr;
  const int64_t* wide_ = nullptr;
  std::vector<ListEntry> added_;  // rising
};

}  // namespace ordered_gnn::core
