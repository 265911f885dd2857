// Work split: a row at a time. Memory: kept words and the row, once each;
// nothing in front of them or behind them is touched.
#include "ops/cpu/kernels/kept_row.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {

#if defined(__AVX512F__)

namespace {

constexpr int64_t kLanes = 16;

inline __mmask16 bits_of(const uint64_t* bits, int64_t column) {
  return static_cast<__mmask16>(bits[column / 64] >> (column % 64));
}

inline int count(__mmask16 lanes) {
  return __builtin_popcount(static_cast<unsigned>(lanes));
}

inline __mmask16 first_lanes(int64_t lanes) {
  return static_cast<__mmask16>(lanes < kLanes ? (1u << lanes) - 1 : 0xffffu);
}

}  // namespace

void compact_row(const uint64_t* bits, int64_t columns, const uint32_t* row,
                 uint32_t* kept) {
  for (int64_t c = 0; c < columns; c += kLanes) {
    const __mmask16 lanes = bits_of(bits, c);
    const __m512i words = _mm512_maskz_compress_epi32(
        lanes, _mm512_maskz_loadu_epi32(lanes, row + c));
    _mm512_mask_storeu_epi32(kept, first_lanes(count(lanes)), words);
    kept += count(lanes);
  }
}

void spread_row(const uint64_t* bits, int64_t columns, const uint32_t* kept,
                uint32_t* row) {
  for (int64_t c = 0; c < columns; c += kLanes) {
    const __mmask16 lanes = bits_of(bits, c);
    const __m512i words = _mm512_maskz_expand_epi32(
        lanes, _mm512_maskz_loadu_epi32(first_lanes(count(lanes)), kept));
    _mm512_mask_storeu_epi32(row + c, first_lanes(columns - c), words);
    kept += count(lanes);
  }
}

#else

void compact_row(const uint64_t* bits, int64_t columns, const uint32_t* row,
                 uint32_t* kept) {
  for (int64_t c = 0; c < columns; c += 64) {
    for (uint64_t left = bits[c / 64]; left != 0; left &= left - 1) {
      *kept++ = row[c + __builtin_ctzll(left)];
    }
  }
}

void spread_row(const uint64_t* bits, int64_t columns, const uint32_t* kept,
                uint32_t* row) {
  for (int64_t c = 0; c < columns; ++c) row[c] = 0;
  for (int64_t c = 0; c < columns; c += 64) {
    for (uint64_t left = bits[c / 64]; left != 0; left &= left - 1) {
      row[c + __builtin_ctzll(left)] = *kept++;
    }
  }
}

#endif

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
