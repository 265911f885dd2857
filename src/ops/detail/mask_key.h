#pragma once
#include <cstdint>

namespace ordered_gnn::detail {

/// A DropoutKey as kernels take it. Free of ATen: those of all devices include
/// it.
struct MaskKey {
  int64_t seed = 0;
  int64_t step = 0;
  int64_t site = 0;
  /// Where the step lies on the device of the rows; null: `step` is it.
  const int64_t* step_at = nullptr;
};

}  // namespace ordered_gnn::detail
