#include "ops/cpu/scratch.h"

#include <ATen/Functions.h>

#include <array>

namespace ordered_gnn::cpu {

at::Tensor scratch_rows(int slot, int64_t rows, int64_t columns,
                        const at::TensorOptions& options) {
  thread_local std::array<at::Tensor, kScratchSlots> buffers;
  at::Tensor& buffer = buffers[static_cast<size_t>(slot)];
  const int64_t size = rows * columns;
  if (!buffer.defined() || buffer.dtype() != options.dtype() ||
      buffer.numel() < size) {
    buffer = at::empty({size}, options.requires_grad(c10::nullopt));
  }
  return buffer.narrow(0, 0, size).view({rows, columns});
}

}  // namespace ordered_gnn::cpu
