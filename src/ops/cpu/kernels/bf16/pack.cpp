// Work split: the caller's matrices; they fit the cache.
// Memory: one read and one write per number.
// Determinism: numbers are moved, weights rounded one by one.
#include "ops/cpu/kernels/bf16/pack.h"

#include "ops/cpu/kernels/bf16/vectors.h"
#include "ops/cpu/kernels/gate_tile.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int64_t kPairs = kTileDepth16 / 2;
constexpr int64_t kColumns = kTileColumns16;

inline uint32_t pair_of(Bf16 first, Bf16 second) {
  return first.bits | static_cast<uint32_t>(second.bits) << 16;
}

// 16 columns of two rows, side by side; `low` and `high` start there.
inline FloatBits pairs_of(const Bf16* low, const Bf16* high) {
  const auto words = [](const Bf16* row) {
    return as_words(load<32>(reinterpret_cast<const uint16_t*>(row)));
  };
  return words(low) | words(high) << 16;
}

// The pairs of rows k and k + 1 of `depth`, 16 columns from n on.
inline void set_pairs(const Bf16* b, int64_t k, int64_t depth, int64_t n,
                      int64_t columns, int64_t b_row, void* out) {
  FloatBits pairs = {};
  if (k + 1 < depth && n + kColumns <= columns) {
    const Bf16* const row = b + k * b_row + n;
    pairs = pairs_of(row, row + b_row);
  } else {
    for (int64_t i = 0; i < kColumns; ++i) {
      const auto at = [&](int64_t row) {
        const bool is_there = row < depth && n + i < columns;
        return is_there ? b[row * b_row + n + i] : Bf16{0};
      };
      pairs[i] = pair_of(at(k), at(k + 1));
    }
  }
  store(static_cast<uint32_t*>(out), pairs);
}

// A tile of at most `rows` rows and `columns` columns, rounded.
inline void round_edge(const float* b, int64_t rows, int64_t columns,
                       int64_t k_stride, int64_t n_stride, Bf16* out) {
  for (int64_t k = 0; k < kTileDepth16; ++k) {
    for (int64_t i = 0; i < kColumns; ++i) {
      const bool is_there = k < rows && i < columns;
      out[(k / 2 * kColumns + i) * 2 + k % 2] =
          is_there ? narrowed(b[k * k_stride + i * n_stride]) : Bf16{0};
    }
  }
}

// A whole tile whose rows are contiguous.
inline void round_rows(const float* b, int64_t k_stride, Bf16* out) {
  for (int64_t pair = 0; pair < kPairs; ++pair) {
    const float* const low = b + 2 * pair * k_stride;
    Bf16 rows[2 * kColumns];
    store_row(rows, load(low));
    store_row(rows + kColumns, load(low + k_stride));
    store(reinterpret_cast<uint32_t*>(out + pair * kTileDepth16),
          pairs_of(rows, rows + kColumns));
  }
}

// A whole tile whose columns are.
inline void round_columns(const float* b, int64_t n_stride, Bf16* out) {
  alignas(64) float tile[kPairs * kColumns];
  for (int64_t i = 0; i < kColumns; ++i) {
    Bf16* const column = reinterpret_cast<Bf16*>(tile + i * kPairs);
    store_row(column, load(b + i * n_stride));
    store_row(column + kPairs, load(b + i * n_stride + kPairs));
  }
  transpose_block(tile, kPairs, kColumns, kPairs, reinterpret_cast<float*>(out),
                  kColumns);
}

}  // namespace

void pack_floats(const float* b, int64_t depth, int64_t columns,
                 int64_t k_stride, int64_t n_stride, Bf16* out) {
  for (int64_t n = 0; n < columns; n += kColumns) {
    for (int64_t k = 0; k < depth; k += kTileDepth16) {
      const float* const from = b + k * k_stride + n * n_stride;
      const int64_t rows = depth - k, rest = columns - n;
      const bool is_whole = rows >= kTileDepth16 && rest >= kColumns;
      if (is_whole && n_stride == 1) {
        round_rows(from, k_stride, out);
      } else if (is_whole && k_stride == 1) {
        round_columns(from, n_stride, out);
      } else {
        round_edge(from, rows, rest, k_stride, n_stride, out);
      }
      out += kTileDepth16 * kColumns;
    }
  }
}

void pack_rows(const Bf16* b, int64_t depth, int64_t columns, int64_t b_row,
               Bf16* out) {
  const int64_t padded = packed_row(depth);
  for (int64_t n = 0; n < columns; n += kColumns) {
    for (int64_t k = 0; k < padded; k += 2, out += 2 * kColumns) {
      set_pairs(b, k, depth, n, columns, b_row, out);
    }
  }
}

void pack_transposed(const Bf16* a, int64_t depth, int64_t columns,
                     int64_t a_row, Bf16* out) {
  alignas(64) float tile[kPairs * kColumns];
  const int64_t padded = packed_row(depth);
  for (int64_t k = 0; k < padded; k += kTileDepth16) {
    for (int64_t n = 0; n < columns; n += kColumns) {
      for (int64_t pair = 0; pair < kPairs; ++pair) {
        set_pairs(a, k + 2 * pair, depth, n, columns, a_row,
                  tile + pair * kColumns);
      }
      const int64_t rest = columns - n;
      // Bits are moved as floats are, and stay what they are.
      transpose_block(tile, kColumns, kPairs, rest < kColumns ? rest : kColumns,
                      reinterpret_cast<float*>(out + n * padded + k),
                      padded / 2);
    }
  }
}

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
