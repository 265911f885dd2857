#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/row_exchange.h"

namespace ordered_gnn::scale {

/// In-degrees of the nodes of a part and of its halo, [n + H]: messages are
/// scaled by the degrees of both ends. All parts that exchange rows call it.
/// @param rowptr        of the part's in-lists.
/// @param receive_only  rows of halo nodes that are in the out-lists alone.
at::Tensor degrees_with_halo(const at::Tensor& rowptr,
                             const std::vector<int64_t>& receive_only,
                             core::RowExchange& exchange);

}  // namespace ordered_gnn::scale
