#pragma once
#include <ATen/core/Tensor.h>

#include "ops/detail/lists.h"

namespace ordered_gnn::cpu {

/// Hands the gradient of a scaled sum to the rows it was made of:
///
///   grad_h[u] += col_scale[u] * sum over the receivers v of u of
///                row_scale[v] * grad_m[v]
///
/// @param lists   of the sum itself.
/// @param grad_m  [N, D].  @param grad_h  [N, D]; both contiguous.
void add_transposed_sum(const detail::ScaledLists& lists,
                        const at::Tensor& grad_m, const at::Tensor& grad_h);

}  // namespace ordered_gnn::cpu
