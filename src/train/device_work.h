#pragma once
#include <c10/core/Device.h>

#if ORDERED_GNN_HAS_CUDA
#include "train/cuda/device_memory.h"
#endif

namespace ordered_gnn::training {

/// Calls body(), which works on `device`; a GPU that has not enough memory
/// becomes an Error with the sizes.
template <typename Body>
auto on_device(at::Device device, const Body& body) {
#if ORDERED_GNN_HAS_CUDA
  if (device.is_cuda()) return with_memory_report(body);
#endif
  (void)device;
  return body();
}

}  // namespace ordered_gnn::training
