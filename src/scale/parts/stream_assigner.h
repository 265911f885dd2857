#pragma once
#include <cstdint>
#include <vector>

#include "scale/parts/plan.h"

namespace ordered_gnn::scale {

/// The greedy choice of parts, node by node: a node joins the part that most of
/// its neighbours are in, times the share of that part's room that is left. It
/// knows a part per node and nothing of the graph.
class StreamAssigner {
 public:
  /// How often all nodes are walked.
  static constexpr int kWalks = 2;

  /// @param labels  [N], -1: unlabelled; must outlive it.
  StreamAssigner(int64_t nodes, int64_t edges, const int64_t* labels,
                 int64_t parts);

  /// A neighbour of the node that is placed next, once for every message.
  void add_neighbour(int64_t node, int64_t neighbour) {
    const int32_t part = part_of_[neighbour];
    if (part < 0 || neighbour == node) return;
    if (neighbours_[part] == 0) touched_.push_back(part);
    neighbours_[part] += 1;
  }
  void place(int64_t node, int64_t in_degree);

  Assignment take() { return std::move(part_of_); }

 private:
  const int64_t parts_;
  const int64_t* const labels_;
  Assignment part_of_;
  std::vector<double> load_, labelled_, neighbours_;
  std::vector<int32_t> touched_;
  double room_ = 0, labelled_room_ = 0;
};

}  // namespace ordered_gnn::scale
