#pragma once
#include "ops/detail/layer_norm.h"

// layer_norm() of rows in bfloat16; statistics and parameters are float.
namespace ordered_gnn::cpu::bf16 {

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const detail::LayerNormArguments& arguments);

/// Also without a bias where y is not needed.
detail::LayerNormUndone layer_norm_undo(
    const detail::LayerNormUndoArguments& arguments);

}  // namespace ordered_gnn::cpu::bf16
