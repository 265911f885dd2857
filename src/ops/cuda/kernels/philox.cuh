#pragma once
#include <cstdint>

#include "ops/cuda/kernels/dropout_mask.h"

namespace ordered_gnn::cuda {

/// The four words of Philox 4x32-10, as ordered_gnn/core/philox.h.
struct PhiloxBlock {
  uint32_t c0, c1, c2, c3;
};

__device__ __forceinline__ PhiloxBlock philox_block(uint64_t key,
                                                    uint64_t counter_low,
                                                    uint64_t counter_high) {
  uint32_t k0 = static_cast<uint32_t>(key);
  uint32_t k1 = static_cast<uint32_t>(key >> 32);
  uint32_t c0 = static_cast<uint32_t>(counter_low);
  uint32_t c1 = static_cast<uint32_t>(counter_low >> 32);
  uint32_t c2 = static_cast<uint32_t>(counter_high);
  uint32_t c3 = static_cast<uint32_t>(counter_high >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * c0;
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * c2;
    const uint32_t n0 = static_cast<uint32_t>(product1 >> 32) ^ c1 ^ k0;
    const uint32_t n2 = static_cast<uint32_t>(product0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(product1);
    c3 = static_cast<uint32_t>(product0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}

/// Word `index` (0 to 7) of a block: the low half of a 32-bit word comes first.
__device__ __forceinline__ uint32_t half_word(const PhiloxBlock& block,
                                              int index) {
  const uint32_t low = index < 2 ? block.c0 : block.c1;
  const uint32_t high = index < 6 ? block.c2 : block.c3;
  return ((index < 4 ? low : high) >> (index % 2 * 16)) & 0xffffu;
}

__device__ __forceinline__ uint64_t counter_high_of(const DropoutMask& mask) {
  if (mask.step == nullptr) return mask.counter_high;
  return mask.counter_high | static_cast<uint64_t>(*mask.step) << 16;
}

/// Drops V values of consecutive elements from `element` on, in place. V is 1,
/// 2, 4 or 8 and divides `element`, so one block holds all their words.
template <int V, typename T>
__device__ __forceinline__ void drop_pack(const DropoutMask& mask,
                                          uint64_t counter_high,
                                          uint64_t element, T* values) {
  const PhiloxBlock block = philox_block(mask.key, element / 8, counter_high);
  const int first = static_cast<int>(element % 8);
  const T scale = static_cast<T>(mask.scale);
#pragma unroll
  for (int k = 0; k < V; ++k) {
    const bool kept = half_word(block, first + k) >= mask.threshold;
    values[k] = kept ? values[k] * scale : T(0);
  }
}

}  // namespace ordered_gnn::cuda
