#pragma once
#include <cstdint>

#include "ops/detail/device_step.h"
#include "ordered_gnn/core/philox.h"

namespace ordered_gnn::cuda {

/// The mask of ops/dropout.h, bit for bit that of the CPU: element i is kept
/// when its 16-bit word of the Philox block i / 8 is at least `threshold`.
struct DropoutMask {
  bool active = false;
  uint32_t threshold = 0;  // 0 when inactive
  uint64_t key = 0;
  uint64_t counter_high = 0;
  double scale = 1;
  /// On the device, or null: then the step is part of `counter_high`.
  const int64_t* step = nullptr;

  DropoutMask() = default;
  DropoutMask(const DropoutKey& place, double p)
      : active(p > 0),
        threshold(p > 0 ? static_cast<uint32_t>(p * 65536.0 + 0.5) : 0),
        key(static_cast<uint64_t>(place.seed)),
        counter_high(uint64_t{1} << 63 | static_cast<uint64_t>(place.site)),
        scale(1.0 / (1.0 - p)),
        step(detail::address_of_step(place.step)) {
    if (step == nullptr) {
      counter_high |= static_cast<uint64_t>(place.step) << 16;
    }
  }
};

}  // namespace ordered_gnn::cuda
