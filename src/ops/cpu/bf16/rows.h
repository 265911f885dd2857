#pragma once
#include <ATen/Functions.h>

#include <algorithm>

#include "ops/cpu/kernels/bf16/convert.h"
#include "ops/cpu/scratch.h"

// Blocks of rows that are stored in bfloat16 and computed in float.
namespace ordered_gnn::cpu::bf16 {

using kernels::Bf16;

/// Slots of the scratch of a thread, see scratch.h: packed sides of a product,
/// and sums that are to be rounded. The first ones are the float kernels', the
/// others up to whoever needs no other op's meanwhile.
constexpr int kLeftSlot = 8;
constexpr int kRightSlot = 9;
constexpr int kSumSlot = 10;
constexpr int kFreeSlot = 11;

inline bool is_stored_as(const at::Tensor& rows) {
  return rows.scalar_type() == at::kBFloat16;
}

inline float* float_scratch(int slot, int64_t size) {
  return values_of<float>(
      scratch_values(slot, size, at::TensorOptions().dtype(at::kFloat)));
}

inline Bf16* bf16_scratch(int slot, int64_t size) {
  return values_of<Bf16>(
      scratch_values(slot, size, at::TensorOptions().dtype(at::kBFloat16)));
}

/// Rows [begin, begin + rows) of a contiguous matrix as floats, in scratch;
/// null when it is undefined.
inline float* widened_rows(int slot, const at::Tensor& matrix, int64_t begin,
                           int64_t rows) {
  if (!matrix.defined()) return nullptr;
  const int64_t count = rows * matrix.size(1);
  float* const out = float_scratch(slot, count);
  ORDERED_GNN_SIMD_CALL(widen(row_of<Bf16>(matrix, begin), count, out));
  return out;
}

/// Stores `rows` rows from row `begin` of a contiguous matrix on, rounded; does
/// nothing when it is undefined.
inline void narrow_rows(const float* values, int64_t rows,
                        const at::Tensor& matrix, int64_t begin) {
  if (!matrix.defined()) return;
  Bf16* const to = row_of<Bf16>(matrix, begin);
  ORDERED_GNN_SIMD_CALL(narrow(values, rows * matrix.size(1), to));
}

/// out[i] = x[i], rounded or widened.
inline void convert(const float* x, int64_t count, Bf16* out) {
  ORDERED_GNN_SIMD_CALL(narrow(x, count, out));
}
inline void convert(const Bf16* x, int64_t count, float* out) {
  ORDERED_GNN_SIMD_CALL(widen(x, count, out));
}

/// Every one of `rows` rows becomes `row`, or zeros when that is undefined.
inline void set_rows(const at::Tensor& row, int64_t rows, int64_t columns,
                     float* out) {
  if (!row.defined()) {
    std::fill(out, out + rows * columns, 0.0f);
    return;
  }
  const float* const values = row.data_ptr<float>();
  for (int64_t r = 0; r < rows; ++r) {
    std::copy(values, values + columns, out + r * columns);
  }
}

}  // namespace ordered_gnn::cpu::bf16
