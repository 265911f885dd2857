#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "ops/cuda/kernels/storage.h"

namespace ordered_gnn::cuda {

/// Partial sums that launch_column_sums() leaves for this many rows.
int64_t column_sum_blocks(int64_t rows);

/// partial[b] = the share of the rows that block b owns, [blocks, dim]; nothing
/// is written for no rows. Instantiated for float, double and bfloat16.
template <typename S>
cudaError_t launch_column_sums(const S* x, int64_t rows, int dim,
                               Compute<S>* partial, cudaStream_t stream);

/// Up to three arrays that columns are shared out to, one after the other.
template <typename T>
struct SumTargets {
  static constexpr int kMost = 3;
  T* out[kMost] = {};
  int64_t end[kMost] =
      {};  // columns up to here, those of the arrays before too
  int count = 0;
};

/// The c-th of all columns of the targets = sum over b of partial[b][c] in a
/// fixed order; zeros for no blocks, nothing for no columns.
template <typename T>
struct PartialSums {
  const T* partial = nullptr;  // [blocks, columns]
  int64_t blocks = 0, columns = 0;
  SumTargets<T> targets;
};

/// Instantiated for float and double.
template <typename T>
cudaError_t launch_sum_partials(const PartialSums<T>& job, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
