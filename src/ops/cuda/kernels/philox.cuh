#pragma once
#include <cstdint>

#include "ops/cuda/kernels/rows/dropout_mask.h"
#include "ops/cuda/kernels/rows/row_tile.cuh"

namespace ordered_gnn::cuda {

/// The four words of Philox 4x32-10, as ordered_gnn/core/philox.h, under the
/// key of a mask.
struct PhiloxBlock {
  uint32_t c0, c1, c2, c3;
};

__device__ __forceinline__ PhiloxBlock philox_block(const DropoutMask& mask,
                                                    uint64_t counter_low,
                                                    uint64_t counter_high) {
  uint32_t c0 = static_cast<uint32_t>(counter_low);
  uint32_t c1 = static_cast<uint32_t>(counter_low >> 32);
  uint32_t c2 = static_cast<uint32_t>(counter_high);
  uint32_t c3 = static_cast<uint32_t>(counter_high >> 32);
#pragma unroll
  for (int round = 0; round < DropoutMask::kRounds; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * c0;
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * c2;
    const uint32_t n0 =
        static_cast<uint32_t>(product1 >> 32) ^ c1 ^ mask.round_keys[2 * round];
    const uint32_t n2 = static_cast<uint32_t>(product0 >> 32) ^ c3 ^
                        mask.round_keys[2 * round + 1];
    c1 = static_cast<uint32_t>(product1);
    c3 = static_cast<uint32_t>(product0);
    c0 = n0;
    c2 = n2;
  }
  return {c0, c1, c2, c3};
}

/// Whether 16-bit word `index` (0 to 7) of a block, the low half of a 32-bit
/// word first, is at least the upper half of `lowest`. Words are compared as
/// upper halves, whatever lies below, so that none need be taken apart.
__device__ __forceinline__ bool reaches(const PhiloxBlock& block, int index,
                                        uint32_t lowest) {
  const uint32_t low = index < 2 ? block.c0 : block.c1;
  const uint32_t high = index < 6 ? block.c2 : block.c3;
  const uint32_t word = index < 4 ? low : high;
  return (index % 2 == 0 ? word << 16 : word) >= lowest;
}

__device__ __forceinline__ uint64_t counter_high_of(const DropoutMask& mask) {
  if (mask.step == nullptr) return mask.counter_high;
  return mask.counter_high | static_cast<uint64_t>(*mask.step) << 16;
}

/// Bit k tells whether element `element` + k is kept, for V consecutive
/// elements. V is 1, 2, 4 or 8 and divides `element`, so one block holds all
/// their words.
template <int V>
__device__ __forceinline__ uint32_t kept_pack(const DropoutMask& mask,
                                              uint64_t counter_high,
                                              uint64_t element) {
  const PhiloxBlock block = philox_block(mask, element / 8, counter_high);
  const int first = V == 8 ? 0 : static_cast<int>(element % 8);
  uint32_t kept = 0;
#pragma unroll
  for (int k = 0; k < V; ++k) {
    kept |= (reaches(block, first + k, mask.lowest_kept) ? 1u : 0u) << k;
  }
  return kept;
}

/// Drops V values of consecutive elements from `element` on, in place; V as for
/// kept_pack().
template <int V, typename T>
__device__ __forceinline__ void drop_pack(const DropoutMask& mask,
                                          uint64_t counter_high,
                                          uint64_t element, T* values) {
  const uint32_t kept = kept_pack<V>(mask, counter_high, element);
  const T scale = static_cast<T>(mask.scale);
#pragma unroll
  for (int k = 0; k < V; ++k) {
    values[k] = kept >> k & 1u ? values[k] * scale : T(0);
  }
}

/// The eight elements whose words are the halves of the block's. Bits are made
/// of comparisons alone, without a branch: whoever tests one gets its
/// comparison, and the number is never put together.
__device__ __forceinline__ uint32_t kept_words(const PhiloxBlock& block,
                                               uint32_t lowest) {
  uint32_t kept = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    kept |= (reaches(block, k, lowest) ? 1u : 0u) << k;
  }
  return kept;
}

// The block of a lane that owns one pack of eight.
__device__ __forceinline__ PhiloxBlock words_of_eight(const DropoutMask& mask,
                                                      uint64_t counter_high,
                                                      uint64_t first_element) {
  static_assert(kPerLane == 8);
  if (!mask.active) return {0, 0, 0, 0};  // a bound of 0 keeps them
  return philox_block(mask, first_element / 8 + lane_id(), counter_high);
}

// Two neighbouring lanes share the Philox blocks of their two packs of four:
// the even lane computes the block of the first packs, the odd lane that of the
// second, and each hands over the half that is not its own.
__device__ __forceinline__ PhiloxBlock words_of_pairs(const DropoutMask& mask,
                                                      uint64_t counter_high,
                                                      uint64_t first_element) {
  static_assert(kPerLane == 8);
  if (!mask.active) return {0, 0, 0, 0};  // a bound of 0 keeps them
  const bool odd = lane_id() % 2 != 0;
  const int slot = (odd ? kWarp : 0) + lane_id();
  const PhiloxBlock block =
      philox_block(mask, first_element / 8 + slot / 2, counter_high);
  const uint32_t got0 =
      __shfl_xor_sync(kAllLanes, odd ? block.c0 : block.c2, 1);
  const uint32_t got1 =
      __shfl_xor_sync(kAllLanes, odd ? block.c1 : block.c3, 1);
  return {odd ? got0 : block.c0, odd ? got1 : block.c1, odd ? block.c2 : got0,
          odd ? block.c3 : got1};
}

/// Bit j tells whether slot j of the lane's columns of a span (row_tile.cuh) is
/// kept; all of them without dropout. Slots past the end of the row say
/// nothing. `offset` is the element at which the row starts. Does not depend on
/// data, so it can be computed while that is on its way. All lanes must call
/// it.
template <int V>
__device__ __forceinline__ uint32_t kept_tile(const DropoutMask& mask,
                                              uint64_t counter_high,
                                              int64_t offset, int base,
                                              int dim) {
  const uint64_t start = static_cast<uint64_t>(offset) + base;
  if (V == 8) {
    return kept_words(words_of_eight(mask, counter_high, start),
                      mask.lowest_kept);
  }
  // Rows of whole blocks: packs share them in the same way everywhere.
  if (V == 4 && dim % 8 == 0) {
    return kept_words(words_of_pairs(mask, counter_high, start),
                      mask.lowest_kept);
  }
  if (!mask.active) return (1u << kPerLane) - 1u;
  uint32_t kept = 0;
  for_packs<V>(base, dim, [&](int j, int column) {
    kept |= kept_pack<V>(mask, counter_high, start + (column - base)) << j;
  });
  return kept;
}

}  // namespace ordered_gnn::cuda
