#pragma once
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace ordered_gnn::detail {

/// Whether a matrix of rows is so large that on a GPU room counts, and backward
/// had better compute some of them again than keep them all. A smaller one
/// takes about as long as the call that makes it: there calls count.
inline bool is_large(int64_t rows, int64_t width, at::ScalarType type) {
  constexpr int64_t kLargeBytes = int64_t{32} << 20;
  return rows * width * static_cast<int64_t>(c10::elementSize(type)) >=
         kLargeBytes;
}

}  // namespace ordered_gnn::detail
