#pragma once
#include <algorithm>
#include <cstdint>

#include "ops/cuda/kernels/products/product_plan.h"

// How a product on warpgroups is cut into blocks. It follows from the sizes
// alone, so that sums have the same order everywhere.
namespace ordered_gnn::cuda {

constexpr int64_t kWgmmaTile = 64;  // rows of a warpgroup, columns of a tile
constexpr int64_t kWgmmaTurn = 32;  // k that is brought at a time
/// A range of k is no shorter than this, but the last.
constexpr int64_t kWgmmaRange = 128;
/// Of a as it lies in memory; products with fewer are too small.
constexpr int64_t kFewestWgmmaRows = 1024;

/// Warpgroups of a block. One serves short products, of which several blocks
/// share a multiprocessor and take turns at its memory; three share chunks of b
/// where k is long; four leave no rows of a weight's gradient idle.
enum class WgmmaBlocks { one, three, four };

struct WgmmaPlan {
  WgmmaBlocks blocks;
  int64_t row_blocks, column_groups, group_tiles;
  int64_t depth, ranges;  // of k

  int64_t grid() const { return row_blocks * column_groups; }
};

inline int64_t whole_turns(int64_t k) {
  return std::max<int64_t>(1, divided_up(k, kWgmmaTurn)) * kWgmmaTurn;
}

/// For a that is transposed in memory: c is small, k long and cut into ranges,
/// as many as keep every multiprocessor busy.
inline WgmmaPlan plan_wgmma_ranges(int64_t rows, int64_t columns, int64_t k) {
  WgmmaPlan plan{};
  plan.blocks = WgmmaBlocks::four;
  plan.row_blocks = divided_up(rows, 4 * kWgmmaTile);
  plan.column_groups = divided_up(columns, kWgmmaTile);
  plan.group_tiles = 1;
  int64_t ranges = 1;
  if (k >= kLongDepth && plan.grid() > 0) {
    ranges = std::max<int64_t>(
        1, std::min(kMultiprocessors / plan.grid(), k / kWgmmaRange));
  }
  plan.depth = whole_turns(divided_up(k, ranges));
  plan.ranges = std::max<int64_t>(1, divided_up(k, plan.depth));
  return plan;
}

/// For a as it lies in memory: rows are many. A block takes several tiles of
/// columns where there are blocks enough: what it begins with counts like one
/// more of them.
inline WgmmaPlan plan_wgmma_rows(int64_t rows, int64_t columns, int64_t k) {
  constexpr int64_t kShort = 128;  // k
  WgmmaPlan plan{};
  const int64_t row_tiles = divided_up(rows, kWgmmaTile);
  const int64_t tiles = std::max<int64_t>(1, divided_up(columns, kWgmmaTile));
  plan.depth = whole_turns(k);
  plan.ranges = 1;
  if (k <= kShort || row_tiles * tiles <= kMultiprocessors) {
    plan.blocks = WgmmaBlocks::one;
    plan.row_blocks = row_tiles;
    plan.group_tiles = row_tiles * tiles > 6 * kMultiprocessors ? 2 : 1;
  } else {
    plan.blocks = WgmmaBlocks::three;
    plan.row_blocks = divided_up(row_tiles, 3);
    int64_t least = INT64_MAX;
    for (const int64_t group : {tiles, (tiles + 1) / 2, (tiles + 3) / 4}) {
      const int64_t blocks = plan.row_blocks * divided_up(tiles, group);
      const int64_t cost = divided_up(blocks, kMultiprocessors) * (group + 1);
      if (cost < least) least = cost, plan.group_tiles = group;
    }
  }
  plan.column_groups = divided_up(tiles, plan.group_tiles);
  return plan;
}

}  // namespace ordered_gnn::cuda
