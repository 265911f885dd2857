#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ordered_gnn::cuda {

/// Tensors of one launch: their table travels as a kernel argument, which is
/// limited to 4 KiB and needs no copy to the device, not even in a CUDA graph.
constexpr int kAdamTensors = 64;
constexpr int kNormTensors = 128;

template <typename T>
struct AdamTensor {
  T* value;
  const T* grad;
  T* m;
  T* v;
  int64_t size;
  double l2;
  int first_block;  // filled by the launch
  int packed;       // filled by the launch: all four allow 16-byte accesses
};

/// One Adam step of up to kAdamTensors tensors, see train/adam.h. All numbers
/// that change from step to step are read on the device, so a captured step can
/// be replayed.
template <typename T>
struct AdamStep {
  AdamTensor<T> tensor[kAdamTensors];
  int count = 0;
  const int64_t* steps = nullptr;  // on the device: steps with this one
  const double* lr = nullptr;      // on the device
  /// On the device, or null: nothing is done when it is not 0.
  const int64_t* stopped = nullptr;
  /// On the device, or null: gradients are multiplied by it first.
  const double* grad_scale = nullptr;
};

template <typename T>
cudaError_t launch_adam(AdamStep<T> job, cudaStream_t stream);

template <typename T>
struct NormTensor {
  const T* data;
  int64_t size;
  int first_block;  // filled by the launch
};

/// Sums of squares of up to kNormTensors tensors.
template <typename T>
struct SquareSums {
  NormTensor<T> tensor[kNormTensors];
  int count = 0;
  double* partial = nullptr;  // [square_sum_blocks of each tensor, added up]
};

/// Partial sums of a tensor of `size` elements.
int64_t square_sum_blocks(int64_t size);

/// One partial sum of squares for every run of every tensor.
template <typename T>
cudaError_t launch_square_sums(SquareSums<T> job, cudaStream_t stream);

/// What gradients have to be multiplied by so that their norm is at most
/// `max_norm`: *scale = norm > max_norm ? max_norm / norm : 1, where norm is
/// the root of the sum of partial[0 .. count). A norm that is not a number
/// gives 1.
cudaError_t launch_clip_scale(const double* partial, int64_t count,
                              double max_norm, double* scale,
                              cudaStream_t stream);

}  // namespace ordered_gnn::cuda
