#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ordered_gnn::cuda {

/// Tensors of one launch, see adam.h.
constexpr int kConvertTensors = 96;

struct ConvertTensor {
  const float* from;
  __nv_bfloat16* to;
  int64_t size;
  int first_block = 0;  // filled by the launch
};

struct ConvertTable {
  ConvertTensor tensor[kConvertTensors];
  int count = 0;
};

/// to[i] = from[i], rounded to nearest, of up to kConvertTensors tensors.
cudaError_t launch_convert(ConvertTable table, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
