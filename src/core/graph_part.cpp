#include "core/graph_part.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "core/two_hop_rows.h"

namespace ordered_gnn::core {
namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

// Nodes by their distance from the roots.
struct Ball {
  std::vector<int64_t> nodes;
  /// nodes[0 .. within[k]) are at most k steps away.
  std::vector<size_t> within;
  bool is_complete = true;  // false: it has more than the edges allowed

  // How many are at most `hops` away; none for a negative number.
  size_t count(int64_t hops) const {
    if (hops < 0) return 0;
    const auto last = static_cast<int64_t>(within.size()) - 1;
    return within[static_cast<size_t>(std::min(hops, last))];
  }
  // Whether a node is among those.
  std::vector<bool> are_within(int64_t hops, int64_t num_nodes) const {
    std::vector<bool> out(static_cast<size_t>(num_nodes));
    for (size_t i = 0; i < count(hops); ++i) {
      out[static_cast<size_t>(nodes[i])] = true;
    }
    return out;
  }
};

Ball ball_of(const GrownLists& lists, const std::vector<int64_t>& roots,
             const PartExtent& extent) {
  std::vector<bool> seen(static_cast<size_t>(lists.num_nodes()));
  Ball ball;
  const auto add = [&](int64_t v) {
    if (seen[static_cast<size_t>(v)]) return;
    seen[static_cast<size_t>(v)] = true;
    ball.nodes.push_back(v);
  };
  for (const int64_t v : roots) add(v);
  ball.within.push_back(ball.nodes.size());
  size_t begin = 0;
  int64_t edges = 0;
  for (int64_t step = 1; step <= extent.hops; ++step) {
    const size_t end = ball.nodes.size();
    if (begin == end) break;
    for (size_t i = begin; i < end; ++i) {
      edges += lists.degree(ball.nodes[i]);
      if (edges > extent.max_edges) {
        ball.is_complete = false;
        return ball;
      }
      lists.for_each(ball.nodes[i], add);
    }
    ball.within.push_back(ball.nodes.size());
    begin = end;
  }
  return ball;
}

at::Tensor index_tensor(const std::vector<int64_t>& values,
                        at::ScalarType type) {
  const at::Tensor out =
      at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), out.data_ptr<int64_t>());
  return out.to(type);
}

// What the lists of a part and of its two hops are made from.
class PartRows {
 public:
  PartRows(std::vector<int64_t> nodes, int64_t num_nodes)
      : nodes_(std::move(nodes)), place_(static_cast<size_t>(num_nodes), -1) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      place_[static_cast<size_t>(nodes_[i])] = static_cast<int64_t>(i);
    }
  }

  // row(v, add) calls add(u) for the columns of node v, all of them nodes of
  // the part.
  template <typename Row>
  Adjacency lists(const Row& row) const {
    std::vector<int64_t> rowptr = {0}, col;
    for (const int64_t v : nodes_) {
      row(v, [&](int64_t u) { col.push_back(place_[static_cast<size_t>(u)]); });
      // Places rise with ids.
      std::sort(col.begin() + rowptr.back(), col.end());
      rowptr.push_back(static_cast<int64_t>(col.size()));
    }
    const bool narrow = static_cast<int64_t>(nodes_.size()) <=
                        std::numeric_limits<int32_t>::max();
    return {index_tensor(rowptr, at::kLong),
            index_tensor(col, narrow ? at::kInt : at::kLong)};
  }

  template <typename Degree>
  at::Tensor degrees(const Degree& degree) const {
    std::vector<int64_t> all;
    all.reserve(nodes_.size());
    for (const int64_t v : nodes_) all.push_back(degree(v));
    return index_tensor(all, at::kLong);
  }

 private:
  std::vector<int64_t> nodes_;
  std::vector<int64_t> place_;  // -1 for nodes outside the part
};

// Graph::two_hop() of a part: rows of the first nodes of the ball, degrees of
// all.
Graph two_hop_part(const GrownLists& lists, const Ball& ball,
                   const std::vector<int64_t>& nodes, int64_t hops) {
  const PartRows rows(nodes, lists.num_nodes());
  const std::vector<bool> is_whole =
      ball.are_within(hops - 2, lists.num_nodes());
  TwoHopRows<GrownLists> two_hop(lists);
  const at::Tensor degrees = rows.degrees([&](int64_t v) {
    int64_t count = 0;
    two_hop.visit(v, [&](int64_t) { ++count; });
    return count;
  });
  two_hop.forget();
  Adjacency in = rows.lists([&](int64_t v, const auto& add) {
    if (is_whole[static_cast<size_t>(v)]) two_hop.visit(v, add);
  });
  return Graph::from_rows(std::move(in), degrees);
}

}  // namespace

int64_t GraphPart::place_of(int64_t node) const {
  return std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin();
}

std::optional<GraphPart> graph_part(const GrownLists& lists,
                                    const std::vector<int64_t>& roots,
                                    const PartExtent& extent) {
  auto ball = std::make_shared<Ball>(ball_of(lists, roots, extent));
  if (!ball->is_complete) return std::nullopt;
  GraphPart part;
  part.nodes = ball->nodes;
  std::sort(part.nodes.begin(), part.nodes.end());
  const PartRows rows(part.nodes, lists.num_nodes());
  const std::vector<bool> is_whole =
      ball->are_within(extent.hops - 1, lists.num_nodes());
  Adjacency in = rows.lists([&](int64_t v, const auto& add) {
    if (is_whole[static_cast<size_t>(v)]) lists.for_each(v, add);
  });
  const at::Tensor degrees =
      rows.degrees([&](int64_t v) { return lists.degree(v); });
  part.graph =
      Graph::from_rows(std::move(in), degrees,
                       [lists, ball, nodes = part.nodes, hops = extent.hops] {
                         return two_hop_part(lists, *ball, nodes, hops);
                       });
  return part;
}

std::vector<int64_t> reached_nodes(const GrownLists& lists,
                                   const std::vector<int64_t>& roots,
                                   int64_t hops) {
  std::vector<int64_t> nodes = ball_of(lists, roots, {hops, kUnbounded}).nodes;
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace ordered_gnn::core
