#pragma once
#include "ops/cpu/kernels/bf16/number.h"
#include "ops/cpu/kernels/simd_namespaces.h"

namespace ordered_gnn::kernels {

/// Rows and columns of a tile of the products below.
constexpr int64_t kTileRows16 = 16;
constexpr int64_t kTileColumns16 = 16;
/// Depth of a tile.
constexpr int64_t kTileDepth16 = 32;

constexpr int64_t tiles_in(int64_t size, int64_t of_tile) {
  return (size + of_tile - 1) / of_tile;
}

/// Numbers that a packed right-hand matrix of `depth` rows takes. It is made of
/// strips of 16 columns, a strip of tiles of 32 rows, a tile of 16 pairs of
/// rows with the numbers of a pair side by side; missing ones are zeros.
constexpr int64_t packed_size(int64_t depth, int64_t columns) {
  return tiles_in(columns, kTileColumns16) * kTileColumns16 *
         tiles_in(depth, kTileDepth16) * kTileDepth16;
}

/// Numbers of a row of a packed left-hand matrix, whose rows are contiguous.
constexpr int64_t packed_row(int64_t depth) {
  return tiles_in(depth, kTileDepth16) * kTileDepth16;
}

ORDERED_GNN_SIMD_DECLARE(
    /// The matrix [depth, columns] whose element (k, n) is the rounded
    /// b[k * k_stride + n * n_stride], as a right-hand side.
    void pack_floats(const float* b, int64_t depth, int64_t columns,
                     int64_t k_stride, int64_t n_stride, Bf16* out);
    /// The rows of b, [depth, columns], as a right-hand side.
    void pack_rows(const Bf16* b, int64_t depth, int64_t columns, int64_t b_row,
                   Bf16* out);
    /// The transpose of the rows of a, [depth, columns], as a left-hand side:
    /// out[n * packed_row(depth) + k] = a[k * a_row + n], zeros behind depth.
    void pack_transposed(const Bf16* a, int64_t depth, int64_t columns,
                         int64_t a_row, Bf16* out);)

}  // namespace ordered_gnn::kernels
