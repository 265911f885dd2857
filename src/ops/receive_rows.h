#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/receiver_lists.h"
#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn::ops {

/// What a layer needs to know of the nodes that it works on.
struct ReceivedRows {
  at::Tensor h;          ///< [R, D], their own
  at::Tensor m;          ///< [R, D], of their neighbours
  at::Tensor prev_gate;  ///< [R, G]; undefined without one
};

/// The rows lists.nodes of h, of scaled_aggregate(graph, row_scale, col_scale,
/// h) and of prev_gate, without computing others.
///
/// @param lists      receiver_lists() of `graph`.
/// @param input      of the layer, for all nodes; an undefined prev_gate gives
/// an
///                   undefined one.
/// @return           differentiable in h and prev_gate.
/// @throws c10::Error when shapes, dtypes or devices do not match.
ReceivedRows receive_rows(const Graph& graph, const ReceiverLists& lists,
                          const OrderedLayerInput& input);

}  // namespace ordered_gnn::ops
