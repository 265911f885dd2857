#include "train/lost_device.h"

#if ORDERED_GNN_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace ordered_gnn::training {

std::string why_device_is_lost(const ExecutionOptions& options) {
  if (options.device == Device::cpu) return "";
#if ORDERED_GNN_HAS_CUDA
  // A failure of one call is forgotten when it was told; what comes back is
  // not of that call. This one disturbs no recording of another thread.
  static_cast<void>(cudaGetLastError());
  size_t free = 0, total = 0;
  const cudaError_t status = cudaMemGetInfo(&free, &total);
  if (status != cudaSuccess) return cudaGetErrorString(status);
#endif
  return "";
}

}  // namespace ordered_gnn::training
