#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::cpu {

/// Matrix products through LibTorch's BLAS, split so that every bit of the
/// result is fixed by the shapes: each block is one serial product, whatever
/// the number of threads.

/// out[N, O] += x[N, I] * weight[O, I]^T; rows in parallel blocks.
void add_product(const at::Tensor& x, const at::Tensor& weight,
                 at::Tensor& out);

/// grad[N, O] * weight[O, I]; rows in parallel blocks.
at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight);

/// out[O, I] = grad[N, O]^T * x[N, I]; partial products of row chunks are
/// added in chunk order.
void weight_gradient(const at::Tensor& grad, const at::Tensor& x,
                     at::Tensor& out);

/// Sum over the rows of `x`, [O].
at::Tensor column_sums(const at::Tensor& x);

}  // namespace ordered_gnn::cpu
