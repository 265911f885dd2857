#pragma once
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>

#include <limits>

#include "ops/cuda/kernels/rows/dropout_mask.h"
#include "ops/detail/dropout.h"
#include "ops/detail/optional.h"

// Included by the bindings only. c10's headers instead of ATen/cuda's: those
// pull in cuBLAS and cuSPARSE, which not every toolkit brings along.
namespace ordered_gnn::cuda {

/// Makes the tensor's device the current one while it lives.
class OnDevice {
 public:
  explicit OnDevice(const at::Tensor& tensor) : guard_(tensor.device()) {}

  /// The stream that LibTorch works on, a captured one included.
  cudaStream_t stream() const { return c10::cuda::getCurrentCUDAStream(); }

 private:
  const c10::cuda::CUDAGuard guard_;
};

/// at::empty() on a GPU without the dispatcher, which takes the host longer
/// than PyTorch's allocator does.
inline at::Tensor fresh(at::IntArrayRef sizes,
                        const at::TensorOptions& options) {
  const c10::cuda::CUDAGuard device(options.device());
  return at::detail::empty_generic(
      sizes, c10::cuda::CUDACachingAllocator::get(),
      c10::DispatchKeySet(c10::DispatchKey::CUDA),
      c10::typeMetaToScalarType(options.dtype()), {});
}
inline at::Tensor fresh_like(const at::Tensor& other) {
  return fresh(other.sizes(), other.options());
}

/// Columns [first, first + width) of a contiguous matrix, in its memory;
/// narrow() for tensors that autograd never sees.
inline at::Tensor columns_of(const at::Tensor& matrix, int64_t first,
                             int64_t width) {
  at::Tensor columns = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(matrix.storage()), matrix.key_set(), matrix.dtype());
  c10::TensorImpl* const impl = columns.unsafeGetTensorImpl();
  const int64_t sizes[] = {matrix.size(0), width};
  const int64_t strides[] = {matrix.size(1), 1};
  impl->set_sizes_and_strides(at::IntArrayRef(sizes), at::IntArrayRef(strides));
  impl->set_storage_offset(matrix.storage_offset() + first);
  return columns;
}

/// Widths are 32 bits in the kernels: an index into a row is computed often.
inline int width_of(const at::Tensor& rows) {
  TORCH_CHECK(rows.size(1) <= std::numeric_limits<int>::max() / 4,
              "a width of ", rows.size(1), " is too large for the GPU kernels");
  return static_cast<int>(rows.size(1));
}

/// The kernels' type for data that LibTorch knows as T.
template <typename T>
struct KernelType {
  using type = T;
};
template <>
struct KernelType<at::BFloat16> {
  using type = __nv_bfloat16;  // the same two bytes
};
template <typename T>
using Kernel = typename KernelType<T>::type;

/// Rows of nodes as the kernels know them, null when undefined. T is LibTorch's
/// type, at::BFloat16 among them.
template <typename T>
Kernel<T>* rows_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  return reinterpret_cast<Kernel<T>*>(tensor.data_ptr<T>());
}

/// The data of a tensor, null when it is undefined.
template <typename T>
T* pointer_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

using detail::packed;

/// The mask of a dropout; with a step in a tensor, kernels read it when they
/// run.
inline DropoutMask mask_of(const detail::Dropout& dropout) {
  return DropoutMask(dropout.mask_key(), dropout.p);
}

}  // namespace ordered_gnn::cuda
