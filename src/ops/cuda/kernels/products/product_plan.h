#pragma once
#include <cstdint>

#include "ops/cuda/kernels/launch.h"
#include "ops/cuda/kernels/products/product.h"

// How a product is cut into tiles of c and ranges of k. It follows from the
// sizes alone, so that sums have the same order everywhere.
namespace ordered_gnn::cuda {

constexpr int kLargeTileRows = 128;
constexpr int kSmallTileRows = 64;
constexpr int kTileColumns = 64;
/// Blocks that run at a time: two for each of the 132 multiprocessors.
constexpr int64_t kProductBlocks = 264;
/// Contractions from here on are split into ranges, no shorter than the second.
constexpr int64_t kLongDepth = 2048;
constexpr int64_t kRangeDepth = 256;

struct ProductPlan {
  bool large;  // tiles of kLargeTileRows, otherwise kSmallTileRows
  int64_t row_tiles, column_tiles;
  int64_t depth, ranges;  // of k

  int64_t tiles() const { return row_tiles * column_tiles; }
};

inline ProductPlan plan_with(bool large, int64_t rows, int64_t columns,
                             int64_t k, int64_t tile_depth) {
  ProductPlan plan;
  plan.large = large;
  plan.row_tiles = divided_up(rows, large ? kLargeTileRows : kSmallTileRows);
  plan.column_tiles = divided_up(columns, kTileColumns);
  int64_t ranges = 1;
  if (k >= kLongDepth && plan.tiles() > 0) {
    ranges = std::max<int64_t>(
        1, std::min(kProductBlocks / plan.tiles(), k / kRangeDepth));
  }
  plan.depth =
      std::max<int64_t>(1, divided_up(divided_up(k, tile_depth), ranges)) *
      tile_depth;
  plan.ranges = std::max<int64_t>(1, divided_up(k, plan.depth));
  return plan;
}

/// The large tile where it leaves no multiprocessor without work.
inline ProductPlan plan_product(int64_t rows, int64_t columns, int64_t k,
                                int64_t tile_depth) {
  const ProductPlan large = plan_with(true, rows, columns, k, tile_depth);
  const bool split = large.ranges > 1 && rows > kSmallTileRows;
  const bool many = large.tiles() >= kProductBlocks;
  return split || many ? large : plan_with(false, rows, columns, k, tile_depth);
}

inline bool copies_of_16_bytes(const Factor& factor) {
  return all_aligned(factor.first, factor.second) && factor.pitch % 4 == 0 &&
         (factor.second == nullptr || factor.columns_of_first % 4 == 0);
}

}  // namespace ordered_gnn::cuda
