#include "explain/listed_nodes.h"

#include <algorithm>
#include <cmath>

#include "explain/node_groups.h"

namespace ordered_gnn::explain {
namespace {

// Less than the rounding of shares in float is no difference.
constexpr double kLeastDistance = 1e-6;

// The largest values first, equal ones by node.
std::vector<ListedNode> largest(std::vector<ListedNode> nodes, int64_t most) {
  const auto count = std::min(nodes.size(), static_cast<size_t>(most));
  const auto middle = nodes.begin() + static_cast<ptrdiff_t>(count);
  std::partial_sort(nodes.begin(), middle, nodes.end(),
                    [](const ListedNode& a, const ListedNode& b) {
                      return a.value != b.value ? a.value > b.value
                                                : a.node < b.node;
                    });
  nodes.resize(count);
  return nodes;
}

}  // namespace

std::vector<ListedNode> confident_mistakes(const NodeTable& table,
                                           bool test_only, int64_t most) {
  std::vector<ListedNode> wrong;
  for (size_t v = 0; v < table.label.size(); ++v) {
    if (table.label[v] < 0 || table.label[v] == table.predicted[v]) continue;
    if (test_only && table.part[v] != NodePart::test) continue;
    wrong.push_back({static_cast<int64_t>(v), table.confidence[v]});
  }
  return largest(std::move(wrong), most);
}

std::vector<ListedNode> unusual_shares(const NodeTable& table, int64_t most) {
  if (!table.has_shares()) return {};
  const std::vector<NodeGroup> groups = group_nodes(
      table, std::vector<std::string>(static_cast<size_t>(table.num_classes)),
      [&](size_t v) { return table.predicted[v]; });
  const auto hops = static_cast<size_t>(table.num_hops + 1);
  std::vector<ListedNode> far;
  for (size_t v = 0; v < table.label.size(); ++v) {
    const std::vector<double>& mean =
        groups[static_cast<size_t>(table.predicted[v])].hop_shares;
    double sum = 0;
    for (size_t k = 0; k < hops; ++k) {
      sum += std::fabs(table.hop_shares[v * hops + k] - mean[k]);
    }
    if (sum / 2 < kLeastDistance) continue;
    far.push_back({static_cast<int64_t>(v), sum / 2});
  }
  return largest(std::move(far), most);
}

}  // namespace ordered_gnn::explain
