#pragma once
#include <ATen/core/Tensor.h>

#include <memory>

#include "core/row_exchange.h"
#include "ops/detail/candidate_layer.h"
#include "ops/detail/ordered_layer.h"

// Ops over a part of a graph, see Graph::of_part(): what their sums need of
// other parts is fetched, in backward too. Differentiable as the ops that they
// stand for.
namespace ordered_gnn::detail {

/// scaled_aggregate().
at::Tensor exchanged_aggregate(const Graph& part, const at::Tensor& row_scale,
                               const at::Tensor& col_scale,
                               const at::Tensor& h);

/// ordered_layer() and candidate_layer(); the lists name the halo, rows and
/// gates of the arguments are those of the part's own nodes.
OrderedLayerOutputs exchanged_layer(
    const OrderedLayerArguments& arguments,
    const std::shared_ptr<core::RowExchange>& exchange);
CandidateLayerOutputs exchanged_layer(
    const CandidateLayerArguments& arguments,
    const std::shared_ptr<core::RowExchange>& exchange);

}  // namespace ordered_gnn::detail
