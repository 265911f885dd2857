#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/dropout_mask.h"

namespace ordered_gnn::cuda {

/// out = dropout((x - mean) * rstd * weight + bias), x being max(x, 0) with
/// `relu`; row by row.
template <typename T>
struct NormForward {
  const T* x = nullptr;       // [rows, dim]
  const T* weight = nullptr;  // [dim]
  const T* bias = nullptr;    // [dim]
  T* out = nullptr;           // [rows, dim]
  T* mean = nullptr;          // [rows]
  T* rstd = nullptr;          // [rows]
  int64_t rows = 0;
  int dim = 0;
  double eps = 0;
  bool relu = false;
  DropoutMask mask;
};

template <typename T>
cudaError_t launch_norm_forward(const NormForward<T>& job, cudaStream_t stream);

template <typename T>
struct NormBackward {
  const T* grad = nullptr;  // [rows, dim], of the output
  const T* x = nullptr;
  const T* mean = nullptr;
  const T* rstd = nullptr;
  const T* weight = nullptr;
  T* grad_x = nullptr;   // [rows, dim]; neither grad nor x
  T* partial = nullptr;  // [norm_backward_blocks(rows), 2 dim]: shares of the
                         // gradients of weight and bias
  int64_t rows = 0;
  int dim = 0;
  bool relu = false;
  DropoutMask mask;
};

int64_t norm_backward_blocks(int64_t rows);

template <typename T>
cudaError_t launch_norm_backward(const NormBackward<T>& job,
                                 cudaStream_t stream);

}  // namespace ordered_gnn::cuda
