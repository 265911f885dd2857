#pragma once
#include <cstdint>

#include "ops/cpu/kernels/simd_namespaces.h"
#include "ordered_gnn/core/philox.h"

namespace ordered_gnn::kernels {

/// The mask of ops/dropout.h: element i is kept when its 16-bit word, taken
/// from the Philox block of counter i / 8, is at least `threshold`.
struct DropoutMask {
  uint64_t key = 0;
  uint64_t counter_high = 0;
  uint32_t threshold = 0;
  double scale = 1;

  DropoutMask(const DropoutKey& place, double p)
      : key(static_cast<uint64_t>(place.seed)),
        counter_high(uint64_t{1} << 63 |
                     static_cast<uint64_t>(place.step) << 16 |
                     static_cast<uint64_t>(place.site)),
        threshold(static_cast<uint32_t>(p * 65536.0 + 0.5)),
        scale(1.0 / (1.0 - p)) {}

  bool keeps(int64_t element) const {
    const auto index = static_cast<uint64_t>(element);
    const Philox::Block words = Philox::block(key, index / 8, counter_high);
    const uint32_t word = words[index % 8 / 2];
    return (index % 2 == 0 ? word & 0xffffu : word >> 16) >= threshold;
  }
};

constexpr int64_t kDropoutGroup = 128;  // elements per call of the generator

ORDERED_GNN_SIMD_DECLARE(
    /// out[i] = kept(i) ? x[i] * scale : 0 for begin <= i < end, where begin is
    /// a multiple of kDropoutGroup.
    template <typename T> void dropout(const DropoutMask& mask, const T* x,
                                       T* out, int64_t begin, int64_t end);)

}  // namespace ordered_gnn::kernels
