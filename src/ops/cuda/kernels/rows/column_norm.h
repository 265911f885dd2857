#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/rows/dropout_mask.h"
#include "ops/cuda/kernels/storage.h"

// Norms over columns, whose statistics are of all rows. Instantiated for rows
// of float, double and bfloat16.
namespace ordered_gnn::cuda {

/// Mean of every column and 1 / sqrt(variance + eps), with the biased variance.
template <typename S>
struct ColumnMoments {
  using T = Compute<S>;
  const S* x = nullptr;       // [rows, dim], at least one row
  T* partial = nullptr;       // [column_moment_blocks(rows), 2, dim]
  T* mean = nullptr;          // [dim]
  T* rstd = nullptr;          // [dim]
  T* running_mean = nullptr;  // [dim] or null; moved by `momentum` towards the
  T* running_var = nullptr;   // mean and the unbiased variance
  int64_t rows = 0;
  int dim = 0;
  double eps = 0;
  double momentum = 0;
};

int64_t column_moment_blocks(int64_t rows);

template <typename S>
cudaError_t launch_column_moments(const ColumnMoments<S>& job,
                                  cudaStream_t stream);

/// x becomes dropout((x - mean) * rstd * weight + bias).
template <typename S>
struct ColumnNorm {
  using T = Compute<S>;
  S* x = nullptr;  // [rows, dim]
  const T* mean = nullptr;
  const T* rstd = nullptr;
  const T* weight = nullptr;
  const T* bias = nullptr;
  int64_t rows = 0;
  int dim = 0;
  DropoutMask mask;
};

template <typename S>
cudaError_t launch_column_norm(const ColumnNorm<S>& job, cudaStream_t stream);

/// The gradient of the norm's result becomes that of x:
///   rstd * weight * (grad - mean(grad) - normalised * mean(grad * normalised))
/// with the means over all rows, given as sums.
template <typename S>
struct ColumnNormUndo {
  using T = Compute<S>;
  S* grad = nullptr;     // [rows, dim]
  const S* x = nullptr;  // [rows, dim]
  const T* mean = nullptr;
  const T* rstd = nullptr;
  const T* weight = nullptr;
  const T* sum_grad = nullptr;     // [dim]
  const T* sum_product = nullptr;  // [dim]
  int64_t rows = 0;
  int dim = 0;
};

template <typename S>
cudaError_t launch_column_norm_undo(const ColumnNormUndo<S>& job,
                                    cudaStream_t stream);

}  // namespace ordered_gnn::cuda
