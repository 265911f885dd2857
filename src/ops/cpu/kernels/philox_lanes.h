#pragma once
#include <cstdint>

#include "ops/cpu/kernels/vector.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Internal linkage throughout: the copies for different instruction sets must
// not be merged.
namespace ordered_gnn::kernels {

/// Philox blocks computed side by side, one per 64-bit lane; only the low half
/// of a lane counts.
constexpr int kPhiloxLanes = kRegisterWidth<uint64_t>;
using PhiloxVector = Register<uint64_t>;

/// Products of the low halves, lane by lane.
static inline PhiloxVector multiply_low(PhiloxVector a, PhiloxVector b) {
#if defined(__AVX512F__)
  // The form without a mask makes some compilers warn of their own header.
  return (PhiloxVector)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (PhiloxVector)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (PhiloxVector)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

/// The high half of every lane, in its low half.
static inline PhiloxVector high_half(PhiloxVector x) {
#if defined(__AVX512F__)
  // Not by a shift: on many CPUs that shares its port with the products.
  return (PhiloxVector)_mm512_maskz_shuffle_epi32(0xffff, (__m512i)x,
                                                  (_MM_PERM_ENUM)0xf5);
#else
  return x >> 32;
#endif
}

static inline PhiloxVector all_lanes(uint64_t value) {
  return value - PhiloxVector{};
}

/// The eight 16-bit words of every lane's block: words 0 to 3 in `low`, 4 to 7
/// in `high`, the first in the lowest bits.
struct PhiloxWords {
  PhiloxVector low;
  PhiloxVector high;
};

/// Philox 4x32-10 with the counters (counter, counter_high).
static inline PhiloxWords philox_words(uint64_t key, PhiloxVector counter,
                                       uint64_t counter_high) {
  const PhiloxVector kLow = all_lanes(0xffffffffu);
  const PhiloxVector m0 = all_lanes(0xD2511F53u);
  const PhiloxVector m1 = all_lanes(0xCD9E8D57u);
  PhiloxVector c0 = counter, c1 = counter >> 32;
  PhiloxVector c2 = all_lanes(counter_high & 0xffffffffu);
  PhiloxVector c3 = all_lanes(counter_high >> 32);
  uint32_t k0 = static_cast<uint32_t>(key);
  uint32_t k1 = static_cast<uint32_t>(key >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const PhiloxVector product0 = multiply_low(c0, m0);
    const PhiloxVector product1 = multiply_low(c2, m1);
    c0 = high_half(product1) ^ c1 ^ all_lanes(k0);
    c2 = high_half(product0) ^ c3 ^ all_lanes(k1);
    c1 = product1;
    c3 = product0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {(c0 & kLow) | (c1 << 32), (c2 & kLow) | (c3 << 32)};
}

}  // namespace ordered_gnn::kernels
