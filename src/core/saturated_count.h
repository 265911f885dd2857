#pragma once
#include <algorithm>
#include <cstdint>

namespace ordered_gnn::core {

/// Beyond about 2^62 all numbers are the same, too large; two can be added.
inline constexpr double kMostCounted = 4e18;

/// A number of values or bytes, from 0, that was worked out in floating point,
/// where products of sizes do not overflow; exact up to 2^53.
inline int64_t saturated_count(double count) {
  return static_cast<int64_t>(std::min(count, kMostCounted));
}

}  // namespace ordered_gnn::core
