// Work split: the caller gives a block of rows; inside it, tiles of c are held
// in registers while a stretch of the depth goes by.
// Memory: a stretch of b of one tile's width stays in the first-level cache for
// all rows; a is read element by element and broadcast.
// Determinism: every element of c is summed along the depth in order.
#include "ops/cpu/kernels/product_kernel.h"

#include "ops/cpu/kernels/vector.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

// Rows and vectors of a register tile: the accumulators, one row of b and one
// element of a fill the registers.
#if defined(__AVX512F__)
constexpr int kTileRows = 6;
constexpr int kTileVectors = 4;
#elif defined(__AVX2__)
constexpr int kTileRows = 6;
constexpr int kTileVectors = 2;
#else
constexpr int kTileRows = 4;
constexpr int kTileVectors = 2;
#endif

// Depth of b that stays in the first-level cache: 32 kB at a tile's width.
constexpr int64_t kStretch = 128;

template <typename T>
constexpr int64_t kWidth = kRegisterWidth<T>;

// Numbers of a cache line.
template <typename T>
constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));

// Rows of a are read in pieces too short for the CPU to see where they go on:
// those of the next tile are asked for while this one is computed.
template <int kRows, int kVectors, typename T>
inline void add_tile(const Product<T>& job) {
  Register<T> sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < kVectors; ++i) {
      sum[r][i] = load<kRegisterBytes>(job.c + r * job.c_row + i * kWidth<T>);
    }
  }
  const T* a = job.a;
  const T* b = job.b;
  for (int64_t k = 0; k < job.depth;) {
    const int64_t stop = job.depth - k < kLine<T> ? job.depth : k + kLine<T>;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      __builtin_prefetch(a + (kRows + r) * job.a_row);
    }
    for (; k < stop; ++k, a += job.a_depth, b += job.b_row) {
      Register<T> row[kVectors];
#pragma GCC unroll 4
      for (int i = 0; i < kVectors; ++i)
        row[i] = load<kRegisterBytes>(b + i * kWidth<T>);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const T factor = a[r * job.a_row];
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) sum[r][i] += factor * row[i];
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < kVectors; ++i) {
      store<kRegisterBytes>(job.c + r * job.c_row + i * kWidth<T>, sum[r][i]);
    }
  }
}

// The last rows, one function per count so that all stay in registers.
template <int kRows, int kVectors, typename T>
inline void add_last_rows(const Product<T>& job) {
  if constexpr (kRows > 0) {
    if (job.rows == kRows) {
      add_tile<kRows, kVectors>(job);
    } else {
      add_last_rows<kRows - 1, kVectors>(job);
    }
  }
}

// All rows of a strip of kVectors vectors of columns and one stretch of depth.
template <int kVectors, typename T>
inline void add_strip(Product<T> job) {
  const int64_t rows = job.rows;
  for (int64_t r = 0; r + kTileRows <= rows; r += kTileRows) {
    add_tile<kTileRows, kVectors>(job);
    job.a += kTileRows * job.a_row;
    job.c += kTileRows * job.c_row;
  }
  job.rows = rows % kTileRows;
  add_last_rows<kTileRows - 1, kVectors>(job);
}

// The same from a copy of the strip of b without gaps: rows a power of two
// apart would push each other out of the first-level cache.
template <int kVectors, typename T>
inline void add_packed_strip(Product<T> job) {
  constexpr int64_t kColumns = kVectors * kWidth<T>;
  alignas(64) T packed[kStretch * kColumns];
  for (int64_t k = 0; k < job.depth; ++k) {
#pragma GCC unroll 4
    for (int i = 0; i < kVectors; ++i) {
      store<kRegisterBytes>(
          packed + k * kColumns + i * kWidth<T>,
          load<kRegisterBytes>(job.b + k * job.b_row + i * kWidth<T>));
    }
  }
  job.b = packed;
  job.b_row = kColumns;
  add_strip<kVectors>(job);
}

// Columns that do not fill a vector go through padded copies.
template <typename T>
void add_narrow_strip(const Product<T>& job) {
  constexpr int64_t kW = kWidth<T>;
  alignas(64) T b[kStretch * kW] = {};
  for (int64_t k = 0; k < job.depth; ++k) {
    for (int64_t j = 0; j < job.columns; ++j) {
      b[k * kW + j] = job.b[k * job.b_row + j];
    }
  }
  for (int64_t first = 0; first < job.rows; first += kTileRows) {
    const int64_t rest = job.rows - first;
    alignas(64) T c[kTileRows * kW] = {};
    Product<T> part = job;
    part.rows = rest < kTileRows ? rest : kTileRows;
    part.a = job.a + first * job.a_row;
    part.b = b;
    part.b_row = kW;
    part.c = c;
    part.c_row = kW;
    T* const target = job.c + first * job.c_row;
    for (int64_t r = 0; r < part.rows; ++r) {
      for (int64_t j = 0; j < job.columns; ++j) {
        c[r * kW + j] = target[r * job.c_row + j];
      }
    }
    add_strip<1>(part);
    for (int64_t r = 0; r < part.rows; ++r) {
      for (int64_t j = 0; j < job.columns; ++j) {
        target[r * job.c_row + j] = c[r * kW + j];
      }
    }
  }
}

template <typename T>
void add_stretch(Product<T> job) {
  int64_t left = job.columns;
  const auto advance = [&](int64_t columns) {
    job.b += columns;
    job.c += columns;
    left -= columns;
  };
  for (; left >= kTileVectors * kWidth<T>; advance(kTileVectors * kWidth<T>)) {
    if (job.b_row == kTileVectors * kWidth<T>) {
      add_strip<kTileVectors>(job);
    } else {
      add_packed_strip<kTileVectors>(job);
    }
  }
  // advance() changes `left`.
  // NOLINTNEXTLINE(bugprone-infinite-loop)
  for (; left >= kWidth<T>; advance(kWidth<T>)) add_packed_strip<1>(job);
  job.columns = left;
  if (left > 0) add_narrow_strip(job);
}

}  // namespace

template <typename T>
void add_product(const Product<T>& job) {
  for (int64_t k = 0; k < job.depth; k += kStretch) {
    Product<T> part = job;
    part.depth = job.depth - k < kStretch ? job.depth - k : kStretch;
    part.a = job.a + k * job.a_depth;
    part.b = job.b + k * job.b_row;
    add_stretch(part);
  }
}

template <typename T>
void find_tile_columns(int64_t* columns) {
  *columns = kTileVectors * kWidth<T>;
}

template void add_product(const Product<float>&);
template void add_product(const Product<double>&);
template void find_tile_columns<float>(int64_t*);
template void find_tile_columns<double>(int64_t*);

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
