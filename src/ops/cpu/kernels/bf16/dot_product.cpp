// Work split: the caller gives a block of rows; tiles of 6 rows and up to 64
// columns are held in registers while all of the depth goes by.
// Memory: strips of b go by once for every 6 rows.
// Determinism: every element of c is summed along the depth in order.
#include <immintrin.h>

#include "ops/cpu/kernels/bf16/product.h"
#include "ops/cpu/kernels/bf16/vectors.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int kRows = 6;
constexpr int kRestRows = 4;  // of what these leave of a block
constexpr int kStrips = 4;

inline __mmask16 columns_from(const Bf16Product& job, int64_t n) {
  const int64_t rest = job.columns - n;
  return rest >= kTileColumns16 ? 0xffff
                                : static_cast<__mmask16>((1u << rest) - 1);
}

// Numbers (k, k + 1) of a row of a, in all lanes.
inline __m512bh pair_at(const Bf16* a) {
  uint32_t pair;
  std::memcpy(&pair, a, sizeof(pair));
  return (__m512bh)_mm512_set1_epi32(static_cast<int>(pair));
}

// The last number of a row of odd depth, and a zero.
inline __m512bh last_at(const Bf16* a) {
  return (__m512bh)_mm512_set1_epi32(a->bits);
}

// Stores the sums of 16 columns of a row.
inline void finish(const Bf16Product& job, int64_t row, int64_t n,
                   const __m512& sums) {
  const __mmask16 columns = columns_from(job, n);
  if (job.rounded == nullptr) {
    _mm512_mask_storeu_ps(job.c + row * job.c_row + n, columns, sums);
    return;
  }
  _mm256_mask_storeu_epi16(job.rounded + row * job.rounded_row + n, columns,
                           (__m256i)narrowed((Vector<float>)sums));
}

template <int kLanes, int kVectors>
inline void add_tile(const Bf16Product& job, int64_t row, int64_t n) {
  const int64_t strip_size = packed_size(job.depth, kTileColumns16);
  const Bf16* const b = job.b + n / kTileColumns16 * strip_size;
  const Bf16* const a = job.a + row * job.a_row;
  const float* const c = job.c + row * job.c_row + n;
  __m512 sum[kLanes][kVectors];
#pragma GCC unroll 6
  for (int r = 0; r < kLanes; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < kVectors; ++i) {
      const int64_t column = i * kTileColumns16;
      sum[r][i] = _mm512_maskz_loadu_ps(columns_from(job, n + column),
                                        c + r * job.c_row + column);
    }
  }
  const auto add = [&](int64_t k, const auto& pair_of) {
    __m512bh pairs[kVectors];
#pragma GCC unroll 4
    for (int i = 0; i < kVectors; ++i) {
      pairs[i] =
          (__m512bh)_mm512_loadu_si512(b + i * strip_size + k * kTileColumns16);
    }
#pragma GCC unroll 6
    for (int r = 0; r < kLanes; ++r) {
      const __m512bh factor = pair_of(a + r * job.a_row + k);
#pragma GCC unroll 4
      for (int i = 0; i < kVectors; ++i) {
        sum[r][i] = _mm512_dpbf16_ps(sum[r][i], factor, pairs[i]);
      }
    }
  };
  int64_t k = 0;
  for (; k + 1 < job.depth; k += 2) add(k, pair_at);
  if (k < job.depth) add(k, last_at);
#pragma GCC unroll 6
  for (int r = 0; r < kLanes; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < kVectors; ++i) {
      finish(job, row + r, n + i * kTileColumns16, sum[r][i]);
    }
  }
}

template <int kVectors>
inline void add_strips(const Bf16Product& job, int64_t n) {
  int64_t row = 0;
  for (; row + kRows <= job.rows; row += kRows) {
    add_tile<kRows, kVectors>(job, row, n);
  }
  for (; row + kRestRows <= job.rows; row += kRestRows) {
    add_tile<kRestRows, kVectors>(job, row, n);
  }
  for (; row < job.rows; ++row) add_tile<1, kVectors>(job, row, n);
}

}  // namespace

void add_bf16_product(const Bf16Product& job) {
  constexpr int64_t kWide = kStrips * kTileColumns16;
  int64_t n = 0;
  for (; n + kWide <= job.columns; n += kWide) add_strips<kStrips>(job, n);
  for (; n < job.columns; n += kTileColumns16) add_strips<1>(job, n);
}

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
