#pragma once
#include <vector>

#include "explain/part_layer.h"
#include "ordered_gnn/explain/graph_explanation.h"
#include "scale/ranks/node_gather.h"

namespace ordered_gnn::scale {

/// What explain_graph() says of a layer, from what all parts have kept of it:
/// the same bits, for numbers of nodes come to rank 0 and are added there in
/// the order of the nodes, states and gates column by column. So rank 0 holds
/// a few numbers per node at a time, and the states of the nodes that distances
/// are measured between (see kMostPairs).
/// All ranks call it, layer by layer.
/// @param parts  of the rank, one or more, part by part.
/// @param edges  of the graph, loops left out; read on rank 0.
/// @return empty on other ranks.
/// @throws Error naming the layer of a value that is not finite.
LayerExplanation gather_layer(const NodeGather& gather,
                              const std::vector<explain::PartLayer>& parts,
                              int64_t edges);

/// Rows of the rank's parts one after the other, in memory that an engine may
/// read: those of a part may be on a disk.
at::Tensor joined(const std::vector<at::Tensor>& rows);

}  // namespace ordered_gnn::scale
