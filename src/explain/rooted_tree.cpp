#include "explain/rooted_tree.h"

#include <algorithm>
#include <tuple>

#include "explain/neighbours.h"

namespace ordered_gnn::explain {
namespace {

// Keeps `most` nodes: those with the most in-neighbours, of those by id.
void keep_best(std::vector<int64_t>& nodes, const NodeTable& table,
               size_t most) {
  std::sort(nodes.begin(), nodes.end(), [&](int64_t a, int64_t b) {
    const int64_t degree_a = table.degree[static_cast<size_t>(a)];
    const int64_t degree_b = table.degree[static_cast<size_t>(b)];
    return degree_a != degree_b ? degree_a > degree_b : a < b;
  });
  nodes.resize(std::min(nodes.size(), most));
}

}  // namespace

std::vector<TreeNode> rooted_tree(const Graph& graph, const NodeTable& table,
                                  int64_t root, int64_t depth,
                                  const NodeExplanationOptions& options) {
  const Neighbours neighbours(graph.in());
  std::vector<bool> seen(static_cast<size_t>(graph.num_nodes()));
  seen[static_cast<size_t>(root)] = true;
  std::vector<TreeNode> tree = {{root, -1, 0, 0}};
  for (size_t i = 0; i < tree.size() && tree[i].depth < depth; ++i) {
    std::vector<int64_t> children;
    neighbours.for_each(tree[i].node, [&](int64_t u) {
      if (seen[static_cast<size_t>(u)]) return;
      seen[static_cast<size_t>(u)] = true;
      children.push_back(u);
    });
    const size_t all = children.size();
    const size_t room =
        static_cast<size_t>(options.max_tree_nodes) - tree.size();
    keep_best(children, table,
              std::min(room, static_cast<size_t>(options.max_children)));
    tree[i].left_out = static_cast<int64_t>(all - children.size());
    for (const int64_t child : children) {
      tree.push_back({child, static_cast<int64_t>(i), tree[i].depth + 1, 0});
    }
  }
  return tree;
}

std::vector<HopView> hop_views(const Reached& reached, const NodeTable& table) {
  const auto classes = static_cast<size_t>(table.num_classes);
  std::vector<HopView> views;
  for (size_t i = 0; i < reached.nodes.size(); ++i) {
    if (views.empty() || views.back().hop != reached.distance[i]) {
      HopView next;
      next.hop = reached.distance[i];
      next.labels.resize(classes);
      next.predictions.resize(classes);
      views.push_back(std::move(next));
    }
    HopView& view = views.back();
    const auto v = static_cast<size_t>(reached.nodes[i]);
    ++view.nodes;
    ++view.predictions[static_cast<size_t>(table.predicted[v])];
    if (table.label[v] < 0) {
      ++view.unlabelled;
    } else {
      ++view.labels[static_cast<size_t>(table.label[v])];
    }
  }
  return views;
}

std::vector<Candidate> candidates(const Reached& reached,
                                  const NodeTable& table, int64_t depth) {
  std::vector<Candidate> out;
  for (size_t i = 1; i < reached.nodes.size(); ++i) {
    if (reached.distance[i] > depth) break;
    out.push_back({reached.nodes[i], reached.distance[i]});
  }
  const auto order = [&](const Candidate& of) {
    return std::make_tuple(
        of.distance, -table.degree[static_cast<size_t>(of.node)], of.node);
  };
  std::sort(out.begin(), out.end(),
            [&](const Candidate& a, const Candidate& b) {
              return order(a) < order(b);
            });
  return out;
}

}  // namespace ordered_gnn::explain
