#include "ordered_gnn/data/node_order.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

std::vector<int64_t> counted_nodes(int64_t num_nodes) {
  std::vector<int64_t> nodes(static_cast<size_t>(num_nodes));
  std::iota(nodes.begin(), nodes.end(), int64_t{0});
  return nodes;
}

at::Tensor tensor_of_order(const std::vector<int64_t>& order) {
  const at::Tensor out =
      at::empty({static_cast<int64_t>(order.size())}, at::kLong);
  std::copy(order.begin(), order.end(), out.data_ptr<int64_t>());
  return out;
}

// Rows of nodes that many receive from are read most.
std::vector<int64_t> order_by_degree(const Graph& graph) {
  const int64_t* const row = graph.out().rowptr.data_ptr<int64_t>();
  std::vector<int64_t> order = counted_nodes(graph.num_nodes());
  std::stable_sort(order.begin(), order.end(), [row](int64_t a, int64_t b) {
    return row[a + 1] - row[a] > row[b + 1] - row[b];
  });
  return order;
}

// Walks every component in breadth from a node of least degree, neighbours by
// rising degree, and turns the walk round.
template <typename Index>
class CuthillMcKee {
 public:
  explicit CuthillMcKee(const Graph& graph)
      : in_(graph.in()),
        out_(graph.out()),
        num_nodes_(graph.num_nodes()),
        is_met_(static_cast<size_t>(num_nodes_), 0) {}

  std::vector<int64_t> run() {
    std::vector<int64_t> starts = counted_nodes(num_nodes_);
    std::stable_sort(
        starts.begin(), starts.end(),
        [this](int64_t a, int64_t b) { return degree(a) < degree(b); });
    order_.reserve(starts.size());
    for (const int64_t start : starts) walk(start);
    std::reverse(order_.begin(), order_.end());
    return std::move(order_);
  }

 private:
  int64_t degree(int64_t v) const {
    const int64_t* const in = in_.rowptr.template data_ptr<int64_t>();
    const int64_t* const out = out_.rowptr.template data_ptr<int64_t>();
    return in[v + 1] - in[v] + out[v + 1] - out[v];
  }

  void meet(int64_t v) {
    if (is_met_[static_cast<size_t>(v)] != 0) return;
    is_met_[static_cast<size_t>(v)] = 1;
    order_.push_back(v);
  }

  void meet_all(const Adjacency& lists, int64_t v) {
    const int64_t* const row = lists.rowptr.template data_ptr<int64_t>();
    const Index* const col = lists.col.template data_ptr<Index>();
    for (int64_t e = row[v]; e < row[v + 1]; ++e) {
      meet(static_cast<int64_t>(col[e]));
    }
  }

  // What was met and not yet walked from is the end of the order itself.
  void walk(int64_t start) {
    size_t next = order_.size();
    meet(start);
    for (; next < order_.size(); ++next) {
      const auto first = static_cast<std::ptrdiff_t>(order_.size());
      const int64_t v = order_[next];
      meet_all(in_, v);
      meet_all(out_, v);
      std::sort(order_.begin() + first, order_.end(),
                [this](int64_t a, int64_t b) {
                  const int64_t of_a = degree(a), of_b = degree(b);
                  return of_a != of_b ? of_a < of_b : a < b;
                });
    }
  }

  const Adjacency& in_;
  const Adjacency& out_;
  const int64_t num_nodes_;
  std::vector<char> is_met_;
  std::vector<int64_t> order_;
};

std::vector<int64_t> order_by_rcm(const Graph& graph) {
  return graph.in().col.scalar_type() == at::kInt
             ? CuthillMcKee<int32_t>(graph).run()
             : CuthillMcKee<int64_t>(graph).run();
}

}  // namespace

const std::vector<std::string>& node_order_names() {
  static const std::vector<std::string> names = {"none", "degree", "rcm",
                                                 "metis"};
  return names;
}

std::string to_string(NodeOrder order) {
  return node_order_names()[static_cast<size_t>(order)];
}

NodeOrder parse_node_order(const std::string& name) {
  return core::parse_enum<NodeOrder>("order of nodes", name,
                                     node_order_names());
}

at::Tensor node_order(const Graph& graph, NodeOrder order) {
  switch (order) {
    case NodeOrder::none:
      break;
    case NodeOrder::degree:
      return tensor_of_order(order_by_degree(graph));
    case NodeOrder::rcm:
      return tensor_of_order(order_by_rcm(graph));
    case NodeOrder::metis:
      throw UsageError(
          "the library is not linked with METIS; the command 'ognn' knows "
          "--reorder metis, others give reordered() an order of their own");
  }
  return tensor_of_order(counted_nodes(graph.num_nodes()));
}

}  // namespace ordered_gnn
