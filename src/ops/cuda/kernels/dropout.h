#pragma once
#include <cuda_runtime_api.h>

#include "ops/cuda/kernels/dropout_mask.h"

namespace ordered_gnn::cuda {

/// out[i] = kept(i) ? x[i] * scale : 0 for 0 <= i < count; `out` may be `x`.
template <typename T>
cudaError_t launch_dropout(const DropoutMask& mask, const T* x, T* out,
                           int64_t count, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
