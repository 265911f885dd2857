// Work split: runs of elements; 64 of them share a call of the generator.
// Memory: one read and one write per element; the mask is never stored.
// Determinism: the mask is a function of the element's index alone.
#include "ops/cpu/kernels/dropout_kernel.h"

#include "ops/cpu/kernels/bf16/vectors.h"
#include "ops/cpu/kernels/keep_bits.h"
#include "ops/cpu/kernels/philox_lanes.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int64_t kGroup = 64;       // elements whose mask is one integer
constexpr int64_t kGroupBlocks = 8;  // Philox blocks of a group

#if defined(__AVX512BW__)

// Bit i tells whether element 64 * group + i is kept.
inline uint64_t kept_bits(const DropoutMask& mask, uint64_t group) {
  // Even lanes hold the first four blocks, odd lanes the others: interleaving
  // the halves of the blocks then puts all words in the order of elements.
  const PhiloxVector order = {0, 4, 1, 5, 2, 6, 3, 7};
  const PhiloxWords words = philox_words(
      mask.key, all_lanes(group * kGroupBlocks) + order, mask.counter_high);
  const PhiloxVector first =
      __builtin_shufflevector(words.low, words.high, 0, 8, 2, 10, 4, 12, 6, 14);
  const PhiloxVector second =
      __builtin_shufflevector(words.low, words.high, 1, 9, 3, 11, 5, 13, 7, 15);
  const __m512i threshold =
      _mm512_set1_epi16(static_cast<int16_t>(mask.threshold));
  return _mm512_cmpge_epu16_mask((__m512i)first, threshold) |
         uint64_t{_mm512_cmpge_epu16_mask((__m512i)second, threshold)} << 32;
}

#else

inline uint64_t bits_of(const uint16_t* words, uint16_t threshold) {
  uint64_t bits = 0;
#if defined(__SSE2__)
  const __m128i low = _mm_set1_epi16(static_cast<int16_t>(threshold));
  const auto at_least = [&](const uint16_t* from) {
    const __m128i word =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm_cmpeq_epi16(_mm_subs_epu16(low, word), _mm_setzero_si128());
  };
  for (int i = 0; i < kGroup; i += 16) {
    const __m128i both =
        _mm_packs_epi16(at_least(words + i), at_least(words + i + 8));
    bits |= static_cast<uint64_t>(_mm_movemask_epi8(both)) << i;
  }
#else
  for (int i = 0; i < kGroup; ++i) {
    bits |= static_cast<uint64_t>(words[i] >= threshold) << i;
  }
#endif
  return bits;
}

inline uint64_t kept_bits(const DropoutMask& mask, uint64_t group) {
  alignas(64) uint64_t halves[2 * kGroupBlocks];
  for (int64_t first = 0; first < kGroupBlocks; first += kPhiloxLanes) {
    PhiloxVector counter;
    for (int lane = 0; lane < kPhiloxLanes; ++lane) {
      counter[lane] = group * kGroupBlocks + first + lane;
    }
    const PhiloxWords words =
        philox_words(mask.key, counter, mask.counter_high);
    for (int lane = 0; lane < kPhiloxLanes; ++lane) {
      halves[2 * (first + lane)] = words.low[lane];
      halves[2 * (first + lane) + 1] = words.high[lane];
    }
  }
  return bits_of(reinterpret_cast<const uint16_t*>(halves),
                 static_cast<uint16_t>(mask.threshold));
}

#endif

template <typename In, typename Out>
inline void apply_bits(uint64_t bits, const In* x, Out* out, int64_t size,
                       Computed<In> scale) {
  using T = Computed<In>;
  int64_t i = 0;
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    const __m512 factor = _mm512_set1_ps(scale);
    for (; i + 16 <= size; i += 16) {
      const auto kept = static_cast<__mmask16>(bits >> i);
      store_row(out + i, (Vector<T>)_mm512_maskz_mul_ps(
                             kept, (__m512)load_row(x + i), factor));
    }
  }
#endif
#pragma GCC ivdep
  for (; i < size; ++i) {
    set_stored(out[i], (bits >> i) & 1 ? computed(x[i]) * scale : T(0));
  }
}

// The 16-bit word of an element.
inline uint32_t word_of(const PhiloxWords& words, int lane, uint64_t element) {
  const uint64_t half = element % 8 < 4 ? words.low[lane] : words.high[lane];
  return static_cast<uint32_t>(half >> (element % 4 * 16)) & 0xffffu;
}

}  // namespace

template <typename In, typename Out>
void dropout(const DropoutMask& place, const In* x, Out* out, int64_t first,
             int64_t count) {
  // A copy, which no store can change: the keys of all rounds stay at hand.
  const DropoutMask mask = place;
  const auto scale = static_cast<Computed<In>>(mask.scale);
  for (int64_t done = 0; done < count;) {
    const int64_t skip = (first + done) % kGroup;
    // A threshold of 2^16 does not fit the words: nothing is kept.
    const uint64_t bits =
        mask.threshold > 0xffff
            ? 0
            : kept_bits(mask, static_cast<uint64_t>(first + done) / kGroup);
    const int64_t rest = count - done;
    const int64_t size = kGroup - skip < rest ? kGroup - skip : rest;
    apply_bits(bits >> skip, x + done, out + done, size, scale);
    done += size;
  }
}

void keep_bits(const DropoutMask& place, int64_t first, int64_t count,
               uint64_t* bits) {
  const DropoutMask mask = place;  // as above
  for (int64_t word = 0; word < (count + kGroup - 1) / kGroup; ++word) {
    bits[word] = 0;
  }
  if (mask.threshold > 0xffff) return;
  for (int64_t done = 0; done < count;) {
    const int64_t skip = (first + done) % kGroup;
    const int64_t rest = count - done;
    const int64_t size = kGroup - skip < rest ? kGroup - skip : rest;
    uint64_t kept =
        kept_bits(mask, static_cast<uint64_t>(first + done) / kGroup) >> skip;
    if (size < kGroup) kept &= (uint64_t{1} << size) - 1;
    const int64_t place = done % kGroup;
    bits[done / kGroup] |= kept << place;
    if (place + size > kGroup) {
      bits[done / kGroup + 1] |= kept >> (kGroup - place);
    }
    done += size;
  }
}

template <typename T>
void dropout_entries(const DropoutMask& mask, const EntryElements& entries,
                     int64_t begin, int64_t end, T* values) {
  const T scale = static_cast<T>(mask.scale);
  int64_t row = begin;
  for (int64_t e = entries.rowptr[begin]; e < entries.rowptr[end];) {
    const int64_t rest = entries.rowptr[end] - e;
    const int lanes =
        rest < kPhiloxLanes ? static_cast<int>(rest) : kPhiloxLanes;
    uint64_t element[kPhiloxLanes] = {};
    PhiloxVector counter = {};
    for (int lane = 0; lane < lanes; ++lane) {
      while (e + lane >= entries.rowptr[row + 1]) ++row;
      const int64_t col = entries.col[e + lane];
      const int64_t of_row =
          entries.row_of != nullptr ? entries.row_of[row] : row;
      const int64_t of_col =
          entries.col_of != nullptr ? entries.col_of[col] : col;
      element[lane] = static_cast<uint64_t>(of_row * entries.row_stride +
                                            of_col * entries.col_stride);
      counter[lane] = element[lane] / 8;
    }
    const PhiloxWords words =
        philox_words(mask.key, counter, mask.counter_high);
    for (int lane = 0; lane < lanes; ++lane) {
      const bool kept = word_of(words, lane, element[lane]) >= mask.threshold;
      values[e + lane] = kept ? values[e + lane] * scale : T(0);
    }
    e += lanes;
  }
}

#define ORDERED_GNN_INSTANTIATE(T)                                        \
  template void dropout_entries(const DropoutMask&, const EntryElements&, \
                                int64_t, int64_t, T*);
ORDERED_GNN_INSTANTIATE(float)
ORDERED_GNN_INSTANTIATE(double)

#define ORDERED_GNN_INSTANTIATE_ROWS(In, Out) \
  template void dropout(const DropoutMask&, const In*, Out*, int64_t, int64_t);
ORDERED_GNN_INSTANTIATE_ROWS(float, float)
ORDERED_GNN_INSTANTIATE_ROWS(double, double)
ORDERED_GNN_INSTANTIATE_ROWS(Bf16, float)
ORDERED_GNN_INSTANTIATE_ROWS(float, Bf16)

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
