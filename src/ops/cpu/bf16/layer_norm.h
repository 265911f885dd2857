#pragma once
#include "ops/detail/layer_norm.h"

// layer_norm() of rows in bfloat16; statistics and parameters are float.
namespace ordered_gnn::cpu::bf16 {

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const detail::LayerNormArguments& arguments);

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const detail::LayerNormBackwardArguments& arguments);

}  // namespace ordered_gnn::cpu::bf16
