#pragma once
#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::core {

/// The lists of Graph::two_hop() from those of Graph::in(), on the CPU.
/// @throws Error when they would have 2^31 entries or more.
Adjacency two_hop_lists(const Adjacency& in);

}  // namespace ordered_gnn::core
