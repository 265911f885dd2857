#pragma once
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/kernels/bf16/normed_rows.h"
#include "ops/detail/dropout.h"

namespace ordered_gnn::cpu::bf16 {

/// Calls run(rows) with the mask that a dropout has for these rows, which start
/// at row `begin` of `all`.
template <typename Rows, typename Run>
void with_mask(const detail::Dropout& how, int64_t all, int64_t begin,
               Rows& rows, const Run& run) {
  const kernels::DropoutMask mask(how.mask_key(), how.p);
  const int64_t* const nodes = how.nodes(all);
  rows.mask = how.p > 0 ? &mask : nullptr;
  rows.nodes = nodes != nullptr ? nodes + begin : nullptr;
  rows.first_node = begin;
  run(rows);
}

/// Scratch of the kernels for normed rows, in this slot.
inline float* normed_rows_scratch(int slot, int64_t dim) {
  return float_scratch(slot, kernels::normed_rows_scratch_size(dim));
}

}  // namespace ordered_gnn::cpu::bf16
