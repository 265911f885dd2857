#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/receiver_lists.h"
#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn {

/// The rows `lists.nodes` of what ordered_layer() gives, in their order, for
/// the work of those rows alone: the layer before a loss on few nodes. Dropout
/// masks are those of the whole layer's rows.
///
/// Kept for backward are, for these rows only, their h, m, logits and gate.
/// Backward writes into the gradient that it is given and runs once, as with
/// OrderedLayerSettings::reuse_memory. On the CPU the whole layer is computed.
///
/// @param lists  receiver_lists() of `graph`.
/// @param row_scale, col_scale, h, prev_gate  of the whole graph, as for
///               ordered_layer().
/// @return       [R, D]; differentiable in h, prev_gate and the parameters.
/// @throws c10::Error like ordered_layer().
at::Tensor ordered_rows(const Graph& graph, const ReceiverLists& lists,
                        const at::Tensor& row_scale,
                        const at::Tensor& col_scale, const at::Tensor& h,
                        const at::Tensor& prev_gate,
                        const OrderedLayerParameters& parameters,
                        const OrderedLayerSettings& settings);

}  // namespace ordered_gnn
