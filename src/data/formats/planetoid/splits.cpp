#include "data/formats/planetoid/splits.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kNumVal = 500;

at::Tensor sorted_nodes(std::vector<int64_t> nodes) {
  std::sort(nodes.begin(), nodes.end());
  at::Tensor result =
      at::empty({static_cast<int64_t>(nodes.size())}, at::kLong);
  std::copy(nodes.begin(), nodes.end(), result.data_ptr<int64_t>());
  return result;
}

at::Tensor nodes_between(int64_t begin, int64_t end) {
  return at::arange(begin, end, at::kLong);
}

// All nodes that are in neither of two parts.
at::Tensor nodes_outside(const at::Tensor& a, const at::Tensor& b,
                         int64_t num_nodes) {
  std::vector<bool> taken(static_cast<size_t>(num_nodes), false);
  for (const at::Tensor& part : {a, b}) {
    const int64_t* const node = part.data_ptr<int64_t>();
    for (int64_t i = 0; i < part.size(0); ++i) {
      taken[static_cast<size_t>(node[i])] = true;
    }
  }
  std::vector<int64_t> nodes;
  for (int64_t v = 0; v < num_nodes; ++v) {
    if (!taken[static_cast<size_t>(v)]) nodes.push_back(v);
  }
  return sorted_nodes(std::move(nodes));
}

}  // namespace

Split planetoid_split(const std::string& split_set, const PlanetoidRows& rows,
                      const std::string& place) {
  const bool from_end = split_set == kDropedgeFull;
  const int64_t before = from_end ? 1 : rows.num_train;
  if (rows.num_labelled < before + kNumVal) {
    fail(
        "{}: the split set {} takes {} validation nodes from the {} rows of "
        "allx after {} training rows; there are too few. Use "
        "--split-set random:48/32/20",
        place, split_set, kNumVal, rows.num_labelled, before);
  }
  const int64_t first = from_end ? rows.num_labelled - kNumVal : rows.num_train;
  const at::Tensor val = nodes_between(first, first + kNumVal);
  const at::Tensor test = sorted_nodes(rows.test_of_line);
  if (split_set == kPlanetoidFull) {
    return {nodes_outside(val, test, rows.num_nodes), val, test};
  }
  return {nodes_between(0, first), val, test};
}

}  // namespace ordered_gnn::data
