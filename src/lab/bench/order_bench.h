#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/data/node_order.h"

namespace ordered_gnn::lab {

/// What an order of nodes gains on one graph.
struct OrderTime {
  NodeOrder order = NodeOrder::none;
  double seconds_made = 0;  ///< of making the order and the graph in it
  double ms_gather = 0;     ///< of one mean over neighbours of all nodes
};

struct OrderBench {
  int64_t width = 0;              ///< floats of a row
  std::vector<OrderTime> orders;  ///< `none` first; without those not built in
};

/// Times the mean over neighbours, rows of 256 floats (of 64 where memory is
/// short), in every order this build has, in turns; medians. With the threads
/// of num_threads().
/// @param repeats  at least 1.
/// @throws Error when memory is not left.
OrderBench bench_orders(const Graph& graph, int64_t repeats = 5);

}  // namespace ordered_gnn::lab
