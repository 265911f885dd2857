#pragma once
#include <ATen/core/Tensor.h>

#include "ops/cuda/sums.h"

// Matrix products. Those of float rows run on our own kernel, in the precision
// of float, or in TF32 when LibTorch's switch for it is on; all others through
// cuBLAS: double ones, and bfloat16 ones with float sums. The same operands
// give the same bits in every run.
namespace ordered_gnn::cuda {

/// A parameter in the type that rows are stored in. Products take either; who
/// needs parts of one asks here first, since copies are of whole parameters.
at::Tensor stored_like(const at::Tensor& parameter, const at::Tensor& rows);

/// x weight^T + bias, [N, O], in the type of x.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);

/// [a ; b] weight^T + bias with the two side by side, which are never joined.
at::Tensor pair_affine(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias);
/// The same into `out`, contiguous.
void pair_affine(const at::Tensor& a, const at::Tensor& b,
                 const at::Tensor& weight, const at::Tensor& bias,
                 at::Tensor out);

/// grad weight, [N, I], in the type of grad.
at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight);
/// The same, added to `sum`.
void add_input_gradient(const at::Tensor& grad, const at::Tensor& weight,
                        const at::Tensor& sum);
/// The same of [a ; b], added to two matrices that lie apart.
void add_pair_input_gradient(const at::Tensor& grad, const at::Tensor& weight,
                             const at::Tensor& sum_a, const at::Tensor& sum_b);

/// grad^T x, [O, I], in the type that a parameter has: float for bfloat16 rows.
at::Tensor weight_gradient(const at::Tensor& grad, const at::Tensor& x);
/// grad^T [a ; b], [O, A + B].
at::Tensor pair_weight_gradient(const at::Tensor& grad, const at::Tensor& a,
                                const at::Tensor& b);
/// The same into `out`, contiguous, and the sums besides, which are of the type
/// of `out`.
/// @param workspace  [pair_weight_workspace()] or undefined: made here.
void pair_weight_gradient(const at::Tensor& grad, const at::Tensor& a,
                          const at::Tensor& b, const SharedSums& besides,
                          const at::Tensor& out,
                          const at::Tensor& workspace = {});
/// Numbers of the type of a that it needs as a workspace; 0: none.
int64_t pair_weight_workspace(const at::Tensor& a, const at::Tensor& b,
                              int64_t outputs);

}  // namespace ordered_gnn::cuda
