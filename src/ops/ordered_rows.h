#pragma once
#include <ATen/core/Tensor.h>

#include "ops/receive_rows.h"
#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn::ops {

/// The rest of a layer for the nodes of receive_rows():
///
///   ordered_rows(receive_rows(graph, lists, input), lists, ...)
///
/// are the rows lists.nodes of what ordered_layer() gives, in their order, with
/// the dropout masks of those rows, for the work of these rows alone: a layer
/// before a loss on few nodes. Two ops, so that h can go before this one needs
/// room.
///
/// Kept for backward are the rows given, logits and gate. Backward writes into
/// the gradient that it is given, runs once, whatever
/// OrderedLayerSettings::reuse_memory says, and has no second gradients.
///
/// @return  [R, D]; differentiable in the rows and the parameters.
/// @throws c10::Error like ordered_layer().
at::Tensor ordered_rows(const ReceivedRows& rows, const ReceiverLists& lists,
                        const OrderedLayerParameters& parameters,
                        const OrderedLayerSettings& settings);

}  // namespace ordered_gnn::ops
