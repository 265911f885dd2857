#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::cpu {

/// Matrix products of tall matrices by our own kernel, about twice as fast as
/// OpenBLAS on the widths of this model. Every bit of a result is fixed by the
/// shapes, whatever the number of threads. All matrices but weights must be
/// contiguous.

/// The transpose of a weight, contiguous, copied by all threads.
at::Tensor transposed(const at::Tensor& weight);

/// out[N, O] += x[N, I] * weight[O, I]^T; rows in parallel blocks.
void add_product(const at::Tensor& x, const at::Tensor& weight,
                 at::Tensor& out);

/// x[N, I] * weight[O, I]^T + bias[O]; rows in parallel blocks.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);

/// grad[N, O] * weight[O, I]; rows in parallel blocks.
at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight);

/// out[O, I] = grad[N, O]^T * x[N, I]; partial products of row chunks are
/// added in chunk order.
void weight_gradient(const at::Tensor& grad, const at::Tensor& x,
                     at::Tensor& out);

/// Sum over the rows of `x`, [O].
at::Tensor column_sums(const at::Tensor& x);

}  // namespace ordered_gnn::cpu
