#pragma once
#include <cstdint>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::detail {

/// The nodes that a node hears, itself left out, whatever the width of the
/// graph's columns. The graph is on the CPU and outlives this.
class InNeighbours {
 public:
  explicit InNeighbours(const Graph& graph)
      : begin_(graph.in().rowptr.data_ptr<int64_t>()) {
    const at::Tensor& col = graph.in().col;
    if (col.scalar_type() == at::kInt) {
      narrow_ = col.data_ptr<int32_t>();
    } else {
      wide_ = col.data_ptr<int64_t>();
    }
  }

  /// Calls body(u) for every neighbour in rising order.
  template <typename Body>
  void for_each(int64_t node, const Body& body) const {
    for (int64_t e = begin_[node]; e < begin_[node + 1]; ++e) {
      const int64_t sender = sender_of(e);
      if (sender != node) body(sender);
    }
  }

  /// The same with the node's loop.
  template <typename Body>
  void for_each_sender(int64_t node, const Body& body) const {
    for (int64_t e = begin_[node]; e < begin_[node + 1]; ++e) {
      body(sender_of(e));
    }
  }

 private:
  int64_t sender_of(int64_t edge) const {
    return narrow_ != nullptr ? int64_t{narrow_[edge]} : wide_[edge];
  }

  const int64_t* begin_;
  const int32_t* narrow_ = nullptr;
  const int64_t* wide_ = nullptr;
};

}  // namespace ordered_gnn::detail
