#pragma once
#include <cstdint>

#include "ops/cpu/kernels/dropout_kernel.h"

namespace ordered_gnn::cpu {

/// Rows [begin, begin + rows) of a matrix of `dim` columns with dropout: `in`
/// and `out`, which may be `in`, start at the first.
/// @param nodes  that the rows of the matrix are of; null: row i is of node i.
template <typename In, typename Out>
void drop_row_block(const kernels::DropoutMask& mask, const int64_t* nodes,
                    int64_t begin, int64_t rows, int64_t dim, const In* in,
                    Out* out) {
  if (nodes == nullptr) {
    ORDERED_GNN_SIMD_CALL(dropout(mask, in, out, begin * dim, rows * dim));
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    ORDERED_GNN_SIMD_CALL(dropout(mask, in + r * dim, out + r * dim,
                                  nodes[begin + r] * dim, dim));
  }
}

}  // namespace ordered_gnn::cpu
