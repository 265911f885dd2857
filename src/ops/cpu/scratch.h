#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ordered_gnn::cpu {

/// Number of scratch slots of a thread.
constexpr int kScratchSlots = 6;

/// A [rows, columns] buffer of this thread, kept and grown between calls: a
/// block that allocates anew would pay for fresh pages every time. Its content
/// is undefined and lasts until the next call with the same slot.
at::Tensor scratch_rows(int slot, int64_t rows, int64_t columns,
                        const at::TensorOptions& options);

}  // namespace ordered_gnn::cpu
