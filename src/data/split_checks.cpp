#include "data/split_checks.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

std::array<SplitPart, 3> parts_of(const Split& split) {
  return {
      {{"train", &split.train}, {"val", &split.val}, {"test", &split.test}}};
}

void check_split(const Split& split, int64_t num_nodes,
                 const std::string& place) {
  const std::array<SplitPart, 3> parts = parts_of(split);
  // 0 = in no part yet, p + 1 = in part p.
  std::vector<uint8_t> owner(num_nodes, 0);
  for (size_t p = 0; p < parts.size(); ++p) {
    const at::Tensor& nodes = *parts[p].nodes;
    if (!nodes.defined() || nodes.scalar_type() != at::kLong ||
        nodes.dim() != 1 || !nodes.device().is_cpu()) {
      fail("{}: the {} part must be a [size] int64 tensor on the CPU", place,
           parts[p].name);
    }
    const at::Tensor flat = nodes.contiguous();
    const int64_t* node = flat.data_ptr<int64_t>();
    for (int64_t i = 0; i < flat.size(0); ++i) {
      if (node[i] < 0 || node[i] >= num_nodes) {
        fail("{}: the {} part names node {}; nodes are 0 to {}", place,
             parts[p].name, node[i], num_nodes - 1);
      }
      if (i > 0 && node[i] <= node[i - 1]) {
        fail("{}: the {} part names node {} after node {}; indices must rise",
             place, parts[p].name, node[i], node[i - 1]);
      }
      uint8_t& mark = owner[node[i]];
      if (mark != 0) {
        fail("{}: node {} is in both {} and {}; parts must not overlap", place,
             node[i], parts[mark - 1].name, parts[p].name);
      }
      mark = static_cast<uint8_t>(p + 1);
    }
  }
}

at::Tensor nodes_of_mask(const at::Tensor& mask, int64_t num_nodes,
                         const std::string& place) {
  const bool is_column = mask.dim() == 2 && mask.size(1) == 1;
  if ((mask.dim() != 1 && !is_column) || mask.size(0) != num_nodes) {
    fail(
        "{}: expected a mask with one entry for each of the {} nodes, got "
        "shape [{}]",
        place, num_nodes, fmt::join(mask.sizes(), ", "));
  }
  if (!at::isIntegralType(mask.scalar_type(), /*includeBool=*/true)) {
    fail("{}: expected a mask of booleans or integers, got {}", place,
         at::toString(mask.scalar_type()));
  }
  const at::Tensor wide = mask.reshape({num_nodes}).to(at::kLong).contiguous();
  const int64_t* set = wide.data_ptr<int64_t>();
  std::vector<int64_t> nodes;
  for (int64_t v = 0; v < num_nodes; ++v) {
    if (set[v] != 0 && set[v] != 1) {
      fail("{}: expected 0 or 1 for node {}, got {}", place, v, set[v]);
    }
    if (set[v] == 1) nodes.push_back(v);
  }
  at::Tensor result =
      at::empty({static_cast<int64_t>(nodes.size())}, at::kLong);
  std::copy(nodes.begin(), nodes.end(), result.data_ptr<int64_t>());
  return result;
}

}  // namespace ordered_gnn::data
