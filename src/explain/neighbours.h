#pragma once
#include <cstdint>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::explain {

/// Lists of neighbours, whatever the width of their columns. They are on the
/// CPU and outlive this.
class Neighbours {
 public:
  explicit Neighbours(const Adjacency& lists)
      : begin_(lists.rowptr.data_ptr<int64_t>()) {
    if (lists.col.scalar_type() == at::kInt) {
      narrow_ = lists.col.data_ptr<int32_t>();
    } else {
      wide_ = lists.col.data_ptr<int64_t>();
    }
  }

  /// The node itself counted where it has a loop.
  int64_t count(int64_t node) const { return begin_[node + 1] - begin_[node]; }

  /// Calls body(u) for every neighbour but the node itself, in rising order.
  template <typename Body>
  void for_each(int64_t node, const Body& body) const {
    for (int64_t e = begin_[node]; e < begin_[node + 1]; ++e) {
      const int64_t other = neighbour(e);
      if (other != node) body(other);
    }
  }

  /// Calls body(u, e) for every neighbour, the node itself among them where it
  /// has a loop, e being the place of the edge in the lists.
  template <typename Body>
  void for_each_edge(int64_t node, const Body& body) const {
    for (int64_t e = begin_[node]; e < begin_[node + 1]; ++e) {
      body(neighbour(e), e);
    }
  }

 private:
  int64_t neighbour(int64_t edge) const {
    return narrow_ != nullptr ? int64_t{narrow_[edge]} : wide_[edge];
  }

  const int64_t* begin_;
  const int32_t* narrow_ = nullptr;
  const int64_t* wide_ = nullptr;
};

}  // namespace ordered_gnn::explain
