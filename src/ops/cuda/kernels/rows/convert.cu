// Work split: one launch for many tensors; a block owns a run of one of them.
// Memory: every number is read and written once, neighbours by neighbouring
// threads.
// Determinism: elements are independent.
#include "ops/cuda/kernels/rows/convert.h"
#include "ops/cuda/kernels/tensor_table.cuh"

namespace ordered_gnn::cuda {
namespace {

constexpr int64_t kConvertRun = 8 * kBlockThreads;

__global__ void __launch_bounds__(kBlockThreads)
    convert_kernel(const __grid_constant__ ConvertTable table) {
  const int block = static_cast<int>(blockIdx.x);
  const ConvertTensor& tensor = table.tensor[tensor_of(table, block)];
  const int64_t begin = (block - tensor.first_block) * kConvertRun;
  const int64_t end =
      begin + kConvertRun < tensor.size ? begin + kConvertRun : tensor.size;
  for (int64_t i = begin + threadIdx.x; i < end; i += kBlockThreads) {
    tensor.to[i] = __float2bfloat16_rn(tensor.from[i]);
  }
}

}  // namespace

cudaError_t launch_convert(ConvertTable table, cudaStream_t stream) {
  const int64_t blocks = number_blocks(table, kConvertRun);
  if (blocks == 0) return cudaSuccess;
  convert_kernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
      table);
  return cudaGetLastError();
}

}  // namespace ordered_gnn::cuda
