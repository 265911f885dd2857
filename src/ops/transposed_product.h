#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::ops {

/// a^T b, a sum over rows: out[i, j] = sum_n a[n, i] b[n, j]. Added up in row
/// blocks fixed by the shapes, so the result is the same bits for any number of
/// threads.
///
/// @param a  [N, A], float32 or float64.  @param b  [N, B].
/// @return   [A, B]; differentiable in both.
/// @throws c10::Error when shapes, dtypes or devices do not match.
at::Tensor transposed_product(const at::Tensor& a, const at::Tensor& b);

}  // namespace ordered_gnn::ops
