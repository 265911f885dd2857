#pragma once
#include <cstdint>

#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/simd_namespaces.h"
#include "ops/detail/mask_key.h"

namespace ordered_gnn::kernels {

/// The mask of ops/dropout.h: element i is kept when its 16-bit word, taken
/// from the Philox block of counter i / 8, is at least `threshold`.
struct DropoutMask {
  uint64_t key = 0;
  uint64_t counter_high = 0;
  uint32_t threshold = 0;
  double scale = 1;

  DropoutMask(const detail::MaskKey& place, double p)
      : key(static_cast<uint64_t>(place.seed)),
        counter_high(uint64_t{1} << 63 |
                     static_cast<uint64_t>(
                         place.step_at != nullptr ? *place.step_at : place.step)
                         << 16 |
                     static_cast<uint64_t>(place.site)),
        threshold(static_cast<uint32_t>(p * 65536.0 + 0.5)),
        scale(1.0 / (1.0 - p)) {}
};

/// The entries of a sparse list and the element of the dense matrix that each
/// stands for: row * row_stride + col[e] * col_stride, where row_of and col_of,
/// unless they are null, say which row and column of that matrix they are.
struct EntryElements {
  const int64_t* rowptr = nullptr;
  const int32_t* col = nullptr;
  int64_t row_stride = 0;
  int64_t col_stride = 0;
  const int64_t* row_of = nullptr;
  const int64_t* col_of = nullptr;
};

ORDERED_GNN_SIMD_DECLARE(
    /// out[i] = kept(first + i) ? x[i] * scale : 0 for 0 <= i < count; `out`
    /// may be `x`. Of the types of the two one may be Bf16 beside float.
    template <typename In, typename Out>
    void dropout(const DropoutMask& mask, const In* x, Out* out, int64_t first,
                 int64_t count);
    /// The same in place for the values of the entries of rows [begin, end).
    template <typename T>
    void dropout_entries(const DropoutMask& mask, const EntryElements& entries,
                         int64_t begin, int64_t end, T* values);)

}  // namespace ordered_gnn::kernels
