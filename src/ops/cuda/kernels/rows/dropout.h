#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/rows/dropout_mask.h"

namespace ordered_gnn::cuda {

/// out[i] = kept(i) ? x[i] * scale : 0 for 0 <= i < count; `out` may be `x`.
/// Instantiated for float, double and bfloat16.
template <typename S>
cudaError_t launch_dropout(const DropoutMask& mask, const S* x, S* out,
                           int64_t count, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
