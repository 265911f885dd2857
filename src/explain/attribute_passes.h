#pragma once
#include <string>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::explain {

inline constexpr const char* kReadsNoAttributes =
    "This model does not read the attributes of nodes.";

/// Why nothing can be said of attributes on this data, a sentence; empty when
/// something can.
std::string why_no_attributes(const NodeDataset& data, int64_t num_classes);

/// Numbers that a forward pass over a graph reads: edges and nodes in every
/// round of messages, and the stored values of features.
/// @param rounds  -1 when they are not known.
int64_t pass_visits(int64_t num_edges, const NodeFeatures& features,
                    int64_t rounds);

}  // namespace ordered_gnn::explain
