#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <type_traits>

#include "ops/cpu/kernels/bf16/number.h"

namespace ordered_gnn::cpu {

/// Number of scratch slots of a thread.
constexpr int kScratchSlots = 32;

/// A buffer of this thread for `size` values or more, kept and grown between
/// calls: a block that allocates anew would pay for fresh pages every time. Its
/// content is undefined and lasts until the next call with the same slot.
const at::Tensor& scratch_values(int slot, int64_t size,
                                 const at::TensorOptions& options);

template <typename T>
struct StoredAs {
  using type = T;
};
template <>
struct StoredAs<at::BFloat16> {
  using type = kernels::Bf16;
};

/// The type that kernels know LibTorch's type T by.
template <typename T>
using Stored = typename StoredAs<T>::type;

/// The values of a contiguous tensor, in the type that kernels know them by.
template <typename T>
T* values_of(const at::Tensor& tensor) {
  if constexpr (std::is_same_v<T, kernels::Bf16>) {
    return reinterpret_cast<T*>(tensor.data_ptr<at::BFloat16>());
  } else {
    return tensor.data_ptr<T>();
  }
}

/// Where a row of a contiguous matrix starts; null when it is undefined.
template <typename T>
T* row_of(const at::Tensor& matrix, int64_t row) {
  return matrix.defined() ? values_of<T>(matrix) + row * matrix.size(1)
                          : nullptr;
}

}  // namespace ordered_gnn::cpu
