#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ordered_gnn::data {

/// The neighbour lists of a Planetoid dataset.
struct NeighbourLists {
  std::vector<int64_t> keys;  ///< nodes that have a list, in file order
  at::Tensor edges;           ///< [2, E]: every entry as (key, neighbour)
};

/// Reads a pickled dict from node id to a list of node ids.
/// @throws Error naming the file and the node for a negative id or a node with
///         two lists.
NeighbourLists read_neighbour_lists(const std::filesystem::path& file);

/// The number of distinct (u, v) entries without an entry (v, u).
int64_t count_one_way(const at::Tensor& edges);

}  // namespace ordered_gnn::data
