#include "explain/node_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ordered_gnn::explain {
namespace {

constexpr int64_t kHomophilyBins = 5;

// 0 for no neighbour, then one bin per power of two.
int64_t degree_bin(int64_t degree) {
  int64_t bin = 0;
  for (; degree > 0; degree /= 2) ++bin;
  return bin;
}

std::string degree_bin_name(int64_t bin) {
  if (bin < 2) return std::to_string(bin);
  const int64_t low = int64_t{1} << (bin - 1);
  return fmt::format("{}-{}", low, 2 * low - 1);
}

// Adds the row of a node, of as many rows as there are nodes.
void add_row(const std::vector<float>& rows, size_t node, size_t num_nodes,
             std::vector<double>& sums) {
  const size_t width = rows.size() / num_nodes;
  sums.resize(width);
  for (size_t k = 0; k < width; ++k) sums[k] += rows[node * width + k];
}

double mean_of(double sum, int64_t count) {
  return count == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : sum / static_cast<double>(count);
}

// Sums become means.
void finish(NodeGroup& group) {
  group.accuracy = mean_of(group.accuracy, group.labelled);
  group.test_accuracy = mean_of(group.test_accuracy, group.tested);
  for (std::vector<double>* shares : {&group.hop_shares, &group.open_gates}) {
    for (double& share : *shares) share /= static_cast<double>(group.nodes);
  }
}

}  // namespace

std::vector<NodeGroup> group_nodes(
    const NodeTable& table, const std::vector<std::string>& names,
    const std::function<int64_t(size_t)>& group_of) {
  std::vector<NodeGroup> groups(names.size());
  for (size_t g = 0; g < names.size(); ++g) groups[g].name = names[g];
  for (size_t v = 0; v < table.label.size(); ++v) {
    const int64_t place = group_of(v);
    if (place < 0) continue;
    NodeGroup& group = groups[static_cast<size_t>(place)];
    ++group.nodes;
    if (table.label[v] >= 0) {
      const bool is_right = table.label[v] == table.predicted[v];
      const bool is_tested = table.part[v] == NodePart::test;
      ++group.labelled;
      group.accuracy += is_right;
      group.tested += is_tested;
      group.test_accuracy += is_tested && is_right;
    }
    add_row(table.hop_shares, v, table.label.size(), group.hop_shares);
    add_row(table.open_gates, v, table.label.size(), group.open_gates);
  }
  for (NodeGroup& group : groups) finish(group);
  return groups;
}

NodeGroup all_nodes(const NodeTable& table) {
  return group_nodes(table, {"all nodes"}, [](size_t) { return 0; }).front();
}

std::vector<NodeGroup> groups_by_class(const NodeTable& table,
                                       const std::vector<std::string>& names) {
  return group_nodes(table, names, [&](size_t v) { return table.label[v]; });
}

std::vector<NodeGroup> groups_by_degree(const NodeTable& table) {
  int64_t most = 0;
  for (const int64_t degree : table.degree) most = std::max(most, degree);
  std::vector<std::string> names;
  for (int64_t bin = 0; bin <= degree_bin(most); ++bin) {
    names.push_back(degree_bin_name(bin));
  }
  return group_nodes(table, names,
                     [&](size_t v) { return degree_bin(table.degree[v]); });
}

std::vector<NodeGroup> groups_by_homophily(const NodeTable& table) {
  const std::vector<std::string> names = {"0-0.2",   "0.2-0.4", "0.4-0.6",
                                          "0.6-0.8", "0.8-1",   "unknown"};
  return group_nodes(table, names, [&](size_t v) {
    const double share = table.homophily[v];
    if (std::isnan(share)) return kHomophilyBins;
    // A share such as 3/5 in float lies a little beside the bound it stands
    // for.
    const auto bin = static_cast<int64_t>(
        share * static_cast<double>(kHomophilyBins) + 1e-5);
    return std::min(bin, kHomophilyBins - 1);
  });
}

std::vector<NodeGroup> groups_by_part(const NodeTable& table) {
  const std::vector<NodePart> order = {NodePart::train, NodePart::val,
                                       NodePart::test, NodePart::none};
  return group_nodes(table, {"train", "val", "test", "no part"}, [&](size_t v) {
    return std::find(order.begin(), order.end(), table.part[v]) - order.begin();
  });
}

}  // namespace ordered_gnn::explain
