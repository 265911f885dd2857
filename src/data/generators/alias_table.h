#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn::data {

/// Draws index i with probability proportional to weights[i] in constant time
/// (alias method), after a linear set-up.
class AliasTable {
 public:
  AliasTable() = default;
  /// @param weights  positive, at least one, at most 2^31 - 1.
  explicit AliasTable(const std::vector<double>& weights);

  int64_t draw(RandomStream& random) const {
    const double place = random.uniform() * static_cast<double>(cells_.size());
    const int64_t cell = static_cast<int64_t>(place);
    const Cell& chosen = cells_[cell];
    const bool own = place - static_cast<double>(cell) < chosen.threshold;
    return own ? cell : chosen.alias;
  }

  double total_weight() const { return total_; }

 private:
  // One cell, one cache line touched per draw.
  struct Cell {
    float threshold;
    int32_t alias;
  };
  std::vector<Cell> cells_;
  double total_ = 0;
};

}  // namespace ordered_gnn::data
