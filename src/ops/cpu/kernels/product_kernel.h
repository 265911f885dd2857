#pragma once
#include <cstdint>

#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

/// c[i][j] += sum_k a[i][k] * b[k][j] for a block that fits the cache.
///
/// Rows of b and c are contiguous; a has any strides, so that a transposed
/// matrix needs no copy. Unlike a general BLAS nothing is packed and the call
/// costs nothing, which is what blocks of a few hundred rows need.
template <typename T>
struct Product {
  int64_t rows = 0;     // of a and c
  int64_t columns = 0;  // of b and c
  int64_t depth = 0;    // columns of a, rows of b
  const T* a = nullptr;
  int64_t a_row = 0;    // stride between rows of a
  int64_t a_depth = 0;  // stride between columns of a
  const T* b = nullptr;
  int64_t b_row = 0;
  T* c = nullptr;
  int64_t c_row = 0;
};

ORDERED_GNN_SIMD_DECLARE(
    template <typename T> void add_product(const Product<T>& job);
    /// Columns of a tile of registers: a `b` of just so many is read where it
    /// lies, a wider one is copied, strip by strip, by every call.
    template <typename T> void find_tile_columns(int64_t* columns);)

}  // namespace ordered_gnn::kernels
