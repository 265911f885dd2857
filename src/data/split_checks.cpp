#include "data/split_checks.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "data/formats/npz/arrays.h"
#include "data/formats/tensor_of.h"
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
        "shape {}",
        place, num_nodes, shape_of(mask));
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
  return tensor_of(nodes);
}

Split split_of_ids(const std::array<PartIds, 3>& parts, int64_t num_nodes,
                   const std::string& place) {
  // The part that a node is in, counted from 1, or 0: sorts all parts at once.
  std::vector<uint8_t> owner(static_cast<size_t>(num_nodes), 0);
  for (size_t p = 0; p < parts.size(); ++p) {
    for (const int64_t node : parts[p].nodes) {
      if (node < 0 || node >= num_nodes) {
        fail("{}: '{}': names node {}; nodes are 0 to {}", place, parts[p].name,
             node, num_nodes - 1);
      }
      uint8_t& mark = owner[static_cast<size_t>(node)];
      if (mark != 0) {
        fail("{}: '{}': node {} was already given in '{}'", place,
             parts[p].name, node, parts[mark - 1].name);
      }
      mark = static_cast<uint8_t>(p + 1);
    }
  }
  std::array<std::vector<int64_t>, 3> sorted;
  for (int64_t v = 0; v < num_nodes; ++v) {
    const uint8_t mark = owner[static_cast<size_t>(v)];
    if (mark != 0) sorted[mark - 1].push_back(v);
  }
  return {tensor_of(sorted[0]), tensor_of(sorted[1]), tensor_of(sorted[2])};
}

std::vector<Split> splits_of_masks(std::array<PartMasks, 3> parts,
                                   int64_t num_nodes, const std::string& file) {
  for (PartMasks& part : parts) {
    if (part.masks.dim() == 1) part.masks = part.masks.unsqueeze(0);
    const bool is_first = &part == &parts[0];
    if (part.masks.dim() != 2 || part.masks.size(0) != parts[0].masks.size(0)) {
      fail("{}: {}: expected shape [{}, {}], got {}", file, part.name,
           is_first ? "S" : std::to_string(parts[0].masks.size(0)), num_nodes,
           shape_of(part.masks));
    }
  }
  std::vector<Split> splits;
  for (int64_t k = 0; k < parts[0].masks.size(0); ++k) {
    const auto nodes = [&](const PartMasks& part) {
      return nodes_of_mask(part.masks.select(0, k), num_nodes,
                           fmt::format("{}:{}[{}]", file, part.name, k));
    };
    splits.push_back({nodes(parts[0]), nodes(parts[1]), nodes(parts[2])});
  }
  return splits;
}

void require_full_parts(const std::vector<Split>& splits,
                        const std::string& place) {
  if (splits.empty()) fail("{}: there are no splits in it", place);
  for (size_t k = 0; k < splits.size(); ++k) {
    for (const SplitPart& part : parts_of(splits[k])) {
      if (part.nodes->size(0) == 0) {
        fail("{}: split {}: the {} part is empty; every part needs a node",
             place, k, part.name);
      }
    }
  }
}

}  // namespace ordered_gnn::data
