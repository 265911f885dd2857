#pragma once
#include <cstdint>

#include "ordered_gnn/core/philox.h"

namespace ordered_gnn::cuda {

/// The mask of ops/dropout.h, bit for bit that of the CPU: element i is kept
/// when its 16-bit word of the Philox block i / 8 is at least `threshold`.
struct DropoutMask {
  bool active = false;
  uint32_t threshold = 0;
  uint64_t key = 0;
  uint64_t counter_high = 0;
  double scale = 1;
  /// On the device, or null. A captured CUDA graph replays the same arguments
  /// every epoch: the step it must not freeze is read from here instead, and
  /// `counter_high` is then made with step 0.
  const int64_t* step = nullptr;

  DropoutMask() = default;
  DropoutMask(const DropoutKey& place, double p)
      : active(p > 0),
        threshold(static_cast<uint32_t>(p * 65536.0 + 0.5)),
        key(static_cast<uint64_t>(place.seed)),
        counter_high(uint64_t{1} << 63 |
                     static_cast<uint64_t>(place.step) << 16 |
                     static_cast<uint64_t>(place.site)),
        scale(1.0 / (1.0 - p)) {}
};

}  // namespace ordered_gnn::cuda
