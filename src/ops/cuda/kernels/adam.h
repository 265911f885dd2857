#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ordered_gnn::cuda {

/// Tensors of one launch: their table travels as a kernel argument, which is
/// limited to 4 KiB and needs no copy to the device, not even in a CUDA graph.
constexpr int kAdamTensors = 64;

template <typename T>
struct AdamTensor {
  T* value;
  const T* grad;
  T* m;
  T* v;
  int64_t size;
  double l2;
  int first_block;  // filled by the launch
};

/// One Adam step of up to kAdamTensors tensors, see train/adam.h.
template <typename T>
struct AdamStep {
  AdamTensor<T> tensor[kAdamTensors];
  int count = 0;
  const int64_t* steps = nullptr;  // on the device: steps with this one
  const double* lr = nullptr;      // on the device
  /// On the device, or null: nothing is done when the number is not finite.
  const T* loss = nullptr;
};

template <typename T>
cudaError_t launch_adam(AdamStep<T> job, cudaStream_t stream);

/// ++*steps, unless *loss is not finite; before the launches of a step.
template <typename T>
cudaError_t launch_count_step(int64_t* steps, const T* loss,
                              cudaStream_t stream);

}  // namespace ordered_gnn::cuda
