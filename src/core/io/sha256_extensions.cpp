// Four rounds per step; the state is held as the instructions want it, words
// A B E F and C D G H.
#include "core/io/sha256_blocks.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ordered_gnn::core {

#if defined(__x86_64__)

bool has_sha_extensions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kShaBit = 1u << 29;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kShaBit) != 0 &&
         __builtin_cpu_supports("sse4.1");
}

__attribute__((target("sha,sse4.1"))) void compress_with_sha_extensions(
    Sha256State& state, const uint8_t* blocks, size_t count) {
  auto* const words = reinterpret_cast<__m128i*>(state.data());
  const __m128i big_endian =
      _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; count > 0; --count, blocks += kSha256Block) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i w[4];
#pragma GCC unroll 16
    for (int step = 0; step < 16; ++step) {
      __m128i& next = w[step % 4];
      if (step < 4) {
        const auto* source = reinterpret_cast<const __m128i*>(blocks) + step;
        next = _mm_shuffle_epi8(_mm_loadu_si128(source), big_endian);
      } else {
        const __m128i last = w[(step + 3) % 4];
        const __m128i seven_back = _mm_alignr_epi8(last, w[(step + 2) % 4], 4);
        next = _mm_sha256msg1_epu32(next, w[(step + 1) % 4]);
        next = _mm_sha256msg2_epu32(_mm_add_epi32(next, seven_back), last);
      }
      const auto* rounds =
          reinterpret_cast<const __m128i*>(kSha256Rounds.data()) + step;
      const __m128i sum = _mm_add_epi32(next, _mm_loadu_si128(rounds));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#else

bool has_sha_extensions() { return false; }

void compress_with_sha_extensions(Sha256State&, const uint8_t*, size_t) {}

#endif

}  // namespace ordered_gnn::core
