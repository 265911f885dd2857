#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/rows/dropout_mask.h"
#include "ops/cuda/kernels/storage.h"

namespace ordered_gnn::cuda {

/// out = dropout((x - mean) * rstd * weight + bias), x being max(x, 0) with
/// `relu`; row by row. Instantiated for rows of float, double and bfloat16.
template <typename S>
struct NormForward {
  using T = Compute<S>;
  const S* x = nullptr;       // [rows, dim]
  const T* weight = nullptr;  // [dim]
  const T* bias = nullptr;    // [dim]
  S* out = nullptr;           // [rows, dim]; not x
  T* mean = nullptr;          // [rows]
  T* rstd = nullptr;          // [rows]
  bool known = false;         // mean and rstd are read, not written
  int64_t rows = 0;
  int dim = 0;
  double eps = 0;
  bool relu = false;
  DropoutMask mask;
};

template <typename S>
cudaError_t launch_norm_forward(const NormForward<S>& job, cudaStream_t stream);

/// Widest rows that a warp has read as a whole before it writes one.
constexpr int kNormInPlaceDim = 256;

/// The gradient of the above.
template <typename S>
struct NormBackward {
  using T = Compute<S>;
  const S* grad = nullptr;  // [rows, dim], of the output
  const S* x = nullptr;     // as in the forward pass, like the next three
  const T* mean = nullptr;
  const T* rstd = nullptr;
  const T* weight = nullptr;
  const T* bias = nullptr;  // for `out` only
  S* grad_x = nullptr;      // [rows, dim]; not x, and grad only up to
                            // kNormInPlaceDim columns
  S* out = nullptr;         // what the forward pass wrote, or null: not needed
  T* partial = nullptr;  // [norm_backward_blocks(rows), 3 dim]: shares of the
                         // gradients of weight and bias and of the sum of
                         // grad_x over the rows
  int64_t rows = 0;
  int dim = 0;
  bool relu = false;
  bool of_parameters = true;  // false: zeros for the first two in `partial`
  DropoutMask mask;
};

int64_t norm_backward_blocks(int64_t rows);

template <typename S>
cudaError_t launch_norm_backward(const NormBackward<S>& job,
                                 cudaStream_t stream);

}  // namespace ordered_gnn::cuda
