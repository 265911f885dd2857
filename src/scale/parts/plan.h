#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "ordered_gnn/core/graph.h"
#include "scale/parts/manifest.h"

namespace ordered_gnn::scale {

/// Which part every node is in, [N], each in 0 .. P - 1.
using Assignment = std::vector<int32_t>;

/// Nodes in the order of their parts.
struct PartsPlan {
  std::vector<int64_t> bounds;  ///< P + 1, as PartsManifest::bounds
  at::Tensor original;          ///< [N] int64: the original id of a new one
  at::Tensor new_id;            ///< [N] int64: the reverse
};

/// What no graph can be cut into, to be asked before one is read.
/// @throws UsageError when there is no part, or more than kMostParts.
void require_part_count(int64_t parts);

/// @throws UsageError as require_part_count(); Error when a part has no node.
PartsPlan make_plan(const Assignment& assignment, int64_t parts);

/// What every part holds and needs of others.
std::vector<PartSize> part_sizes(const Graph& graph, const PartsPlan& plan);

/// Messages between pairs of parts, both ways together.
using PartMessages = std::vector<std::map<int32_t, int64_t>>;
inline void count_message(int32_t part, int32_t other, PartMessages& between) {
  if (part == other) return;
  ++between[part][other];
  ++between[other][part];
}

/// The same parts in an order in which those that exchange much are near each
/// other: ranks own runs of parts, and what stays within a rank is not sent.
void order_parts(const Graph& graph, int64_t parts, Assignment& assignment);
void order_parts(const PartMessages& between, Assignment& assignment);

/// Nodes of other ranks that ranks receive from, counted once per rank and
/// summed up, when `ranks` of them share the parts as rank_bounds() says.
struct HaloRows {
  int64_t in = 0;   ///< that a forward pass fetches per layer
  int64_t out = 0;  ///< whose gradients a backward pass fetches per layer
  /// The same of the last layer of a training step, which only training nodes
  /// hear.
  int64_t last_in = 0;
  int64_t last_out = 0;
};
/// @param trained  [n] int64, the training nodes.
HaloRows halo_rows(const Graph& graph, const PartsPlan& plan, int64_t ranks,
                   const at::Tensor& trained);

/// @throws UsageError when there are more ranks than parts, or none.
void require_ranks(int64_t parts, int64_t ranks);

/// The first part of every rank, and their number: ranks own runs of parts of
/// about the same number of nodes.
/// @throws UsageError as require_ranks().
std::vector<int64_t> rank_bounds(const std::vector<int64_t>& part_bounds,
                                 int64_t ranks);

}  // namespace ordered_gnn::scale
