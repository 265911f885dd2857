#include "explain/contribution_sums.h"

#include <algorithm>
#include <cmath>

namespace ordered_gnn::explain {

std::vector<int64_t> attribute_by_feature(
    const std::vector<Attribute>& attributes, int64_t num_features) {
  std::vector<int64_t> out(static_cast<size_t>(num_features), -1);
  for (size_t a = 0; a < attributes.size(); ++a) {
    const auto first = out.begin() + attributes[a].first_feature;
    std::fill(first, first + attributes[a].num_features,
              static_cast<int64_t>(a));
  }
  return out;
}

std::vector<double> add_contributions(const FeaturePath& path,
                                      const at::Tensor& attributions,
                                      const std::vector<Attribute>& attributes,
                                      int64_t place, NodeAttribution& out) {
  const std::vector<int64_t> attribute =
      attribute_by_feature(attributes, path.num_features());
  std::vector<AttributeContribution> sums(attributes.size());
  std::vector<double> by_node(static_cast<size_t>(path.num_nodes()));
  path.for_each(attributions, [&](int64_t node, int64_t feature, double value) {
    by_node[static_cast<size_t>(node)] += value;
    const int64_t a = attribute[static_cast<size_t>(feature)];
    if (a < 0) return;
    AttributeContribution& sum = sums[static_cast<size_t>(a)];
    (node == place ? sum.own : sum.others) += value;
  });
  double own = 0, all = 0;
  for (size_t a = 0; a < sums.size(); ++a) {
    sums[a].attribute = static_cast<int64_t>(a);
    out.own_total += sums[a].own;
    out.others_total += sums[a].others;
    own += std::fabs(sums[a].own);
    all += std::fabs(sums[a].own) + std::fabs(sums[a].others);
    if (sums[a].own != 0 || sums[a].others != 0) {
      out.attributes.push_back(sums[a]);
    }
  }
  out.own_share = all > 0 ? own / all : 0;
  std::stable_sort(
      out.attributes.begin(), out.attributes.end(),
      [](const AttributeContribution& a, const AttributeContribution& b) {
        return std::fabs(a.own) > std::fabs(b.own);
      });
  return by_node;
}

}  // namespace ordered_gnn::explain
