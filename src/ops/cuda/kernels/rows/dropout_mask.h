#pragma once
#include <algorithm>
#include <cstdint>

#include "ops/detail/mask_key.h"

namespace ordered_gnn::cuda {

/// The mask of ops/dropout.h, bit for bit that of the CPU: element i is kept
/// when its 16-bit word of the Philox block i / 8 is at least 2^16 p, rounded.
struct DropoutMask {
  static constexpr int kRounds = 10;

  bool active = false;
  /// That bound as the upper half of 32 bits; 0, which keeps all, when
  /// inactive.
  uint32_t lowest_kept = 0;
  /// The two keys of every Philox round. Made by the host: instructions read
  /// kernel arguments for nothing, while adding them up takes a quarter of a
  /// block's.
  uint32_t round_keys[2 * kRounds] = {};
  uint64_t counter_high = 0;
  double scale = 1;
  /// On the device, or null: then the step is part of `counter_high`.
  const int64_t* step = nullptr;

  /// Rates that round to one ask for more than the largest word: the bound is
  /// that word, and the scale is zero for whatever still reaches it.
  static constexpr uint32_t kLargest = 0xffffffff;
  static uint32_t bound_of(double p) {
    const auto bound = static_cast<uint64_t>(p * 65536.0 + 0.5) << 16;
    return static_cast<uint32_t>(std::min(bound, uint64_t{kLargest}));
  }

  DropoutMask() = default;
  DropoutMask(const detail::MaskKey& place, double p)
      : active(p > 0),
        lowest_kept(p > 0 ? bound_of(p) : 0),
        counter_high(uint64_t{1} << 63 | static_cast<uint64_t>(place.site)),
        scale(lowest_kept == kLargest ? 0 : 1.0 / (1.0 - p)),
        step(place.step_at) {
    if (step == nullptr) {
      counter_high |= static_cast<uint64_t>(place.step) << 16;
    }
    const auto key = static_cast<uint64_t>(place.seed);
    for (uint32_t round = 0; round < kRounds; ++round) {
      round_keys[2 * round] = static_cast<uint32_t>(key) + round * 0x9E3779B9u;
      round_keys[2 * round + 1] =
          static_cast<uint32_t>(key >> 32) + round * 0xBB67AE85u;
    }
  }
};

}  // namespace ordered_gnn::cuda
