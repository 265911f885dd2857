#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/rows/dropout_mask.h"

namespace ordered_gnn::cuda {

/// out[i] = kept(i) ? x[i] * scale : 0 for 0 <= i < count; `out` may be `x`.
/// Instantiated for float, double and bfloat16.
template <typename S>
cudaError_t launch_dropout(const DropoutMask& mask, const S* x, S* out,
                           int64_t count, cudaStream_t stream);

/// The same of rows that are of `nodes`: element (v, c) has the place
/// nodes[v] * dim + c in the mask.
template <typename S>
struct DropoutRows {
  const int64_t* nodes = nullptr;  // [rows]
  const S* x = nullptr;            // [rows, dim]
  S* out = nullptr;                // [rows, dim]; may be x
  int64_t rows = 0;
  int dim = 0;
};
template <typename S>
cudaError_t launch_dropout_rows(const DropoutMask& mask,
                                const DropoutRows<S>& job, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
