#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ordered_gnn::explain {

/// log(p_c / (1 - p_c)) of every row, [R] float64; differentiable.
/// @param logits   [R, C] with C at least 2.
/// @param classes  [R] int64, c of each row.
at::Tensor log_odds(const at::Tensor& logits, const at::Tensor& classes);

}  // namespace ordered_gnn::explain
