#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::core {

/// Lets recycled_empty() recycle, for the rest of the process; `ognn`, whose
/// tensors are all recycled, has no use for it.
void recycle_results();

/// A contiguous tensor that nobody has filled, for the result of an op or
/// between its passes. After recycle_results() the memory of large ones on the
/// CPU is kept when they are freed, as use_recycling_allocator() does for all
/// tensors: a loop of somebody else's asks for the same sizes again and again.
at::Tensor recycled_empty(at::IntArrayRef sizes,
                          const at::TensorOptions& options);

/// One of the size and type of `other`.
inline at::Tensor recycled_like(const at::Tensor& other) {
  return recycled_empty(other.sizes(), other.options());
}

}  // namespace ordered_gnn::core
