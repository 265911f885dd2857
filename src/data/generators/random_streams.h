#pragma once
#include <cstdint>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn::data {

/// What a generator draws; each purpose and block has its own random stream,
/// so adding draws to one leaves the others as they are.
enum class Draw : uint64_t {
  labels = 1,
  weights,
  edges,
  edge_repairs,
  class_means,
  features,
};

inline RandomStream stream_for(uint64_t seed, Draw purpose, int64_t block = 0) {
  return RandomStream(seed, (static_cast<uint64_t>(purpose) << 48) |
                                static_cast<uint64_t>(block));
}

}  // namespace ordered_gnn::data
