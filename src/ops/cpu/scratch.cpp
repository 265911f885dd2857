#include "ops/cpu/scratch.h"

#include <ATen/Functions.h>

#include <array>

namespace ordered_gnn::cpu {

const at::Tensor& scratch_values(int slot, int64_t size,
                                 const at::TensorOptions& options) {
  thread_local std::array<at::Tensor, kScratchSlots> buffers;
  at::Tensor& buffer = buffers[static_cast<size_t>(slot)];
  if (!buffer.defined() || buffer.dtype() != options.dtype() ||
      buffer.numel() < size) {
    buffer = at::empty({size}, options.requires_grad(c10::nullopt));
  }
  return buffer;
}

}  // namespace ordered_gnn::cpu
