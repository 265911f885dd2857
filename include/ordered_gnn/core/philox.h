#pragma once
#include <array>
#include <cstdint>

namespace ordered_gnn {

/// Philox 4x32-10: a counter-based generator. The same (key, counter) always
/// gives the same four words, so random numbers need no state, no storage and
/// no order of computation.
struct Philox {
  using Block = std::array<uint32_t, 4>;

  static inline Block block(uint64_t key, uint64_t counter_low,
                            uint64_t counter_high) {
    uint32_t k0 = static_cast<uint32_t>(key);
    uint32_t k1 = static_cast<uint32_t>(key >> 32);
    uint32_t c0 = static_cast<uint32_t>(counter_low);
    uint32_t c1 = static_cast<uint32_t>(counter_low >> 32);
    uint32_t c2 = static_cast<uint32_t>(counter_high);
    uint32_t c3 = static_cast<uint32_t>(counter_high >> 32);
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
};

}  // namespace ordered_gnn
