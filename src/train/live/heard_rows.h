#pragma once
#include <cstdint>
#include <vector>

#include "data/live/live_graph.h"
#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::training {

/// Marks rows, each once, and lists them in rising order.
class RowSet {
 public:
  explicit RowSet(int64_t num_rows)
      : is_in_(static_cast<size_t>(num_rows), 0) {}
  void add(int64_t row) {
    char& mark = is_in_[static_cast<size_t>(row)];
    size_ += mark == 0;
    mark = 1;
  }
  int64_t size() const { return size_; }
  std::vector<int64_t> rows() const;

 private:
  std::vector<char> is_in_;
  int64_t size_ = 0;
};

/// What some rows hear, as a graph of its own: rows hold these and their
/// senders, in the order of the whole graph.
struct HeardRows {
  std::vector<int64_t> rows;
  std::vector<int64_t> places;  ///< of the rows asked for, among them
  Graph graph;
};

/// Some rows and those that they receive from, rising.
std::vector<int64_t> with_senders(const core::ListTable& in,
                                  const std::vector<int64_t>& rows);

/// @param rows   rising.
/// @param heard  with_senders() of them.
HeardRows heard_rows(const data::LiveGraph& graph,
                     const std::vector<int64_t>& rows,
                     std::vector<int64_t> heard);

/// All rows of a graph that changes, those of removed nodes among them.
Graph graph_of_rows(const data::LiveGraph& graph);

}  // namespace ordered_gnn::training
