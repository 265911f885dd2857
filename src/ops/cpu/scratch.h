#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ordered_gnn::cpu {

/// Number of scratch slots of a thread.
constexpr int kScratchSlots = 8;

/// A buffer of this thread for `size` values or more, kept and grown between
/// calls: a block that allocates anew would pay for fresh pages every time. Its
/// content is undefined and lasts until the next call with the same slot.
const at::Tensor& scratch_values(int slot, int64_t size,
                                 const at::TensorOptions& options);

/// Where a row of a contiguous matrix starts; null when it is undefined.
template <typename T>
T* row_of(const at::Tensor& matrix, int64_t row) {
  return matrix.defined() ? matrix.data_ptr<T>() + row * matrix.size(1)
                          : nullptr;
}

}  // namespace ordered_gnn::cpu
