#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::cpu {

/// Zeros for what chunks of rows add to the gradient of a parameter, set by all
/// threads.
/// @param sizes  [chunks, ...].
at::Tensor zero_shares(at::IntArrayRef sizes, const at::TensorOptions& options);

/// The sum over the first dimension, to the bit that of LibTorch's sum(0):
/// threads share the numbers out in pieces that it would sum alike.
/// @param shares  [chunks, ...], contiguous.
at::Tensor sum_of_shares(const at::Tensor& shares);

}  // namespace ordered_gnn::cpu
