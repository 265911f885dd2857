#include "ops/cpu/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ordered_gnn::cpu {
namespace {

// Degrees fall from 2000 to 0: equal runs of rows would be very unequal work.
std::vector<int64_t> falling_degrees() {
  std::vector<int64_t> rowptr = {0};
  for (int64_t row = 0; row <= 2000; ++row) {
    rowptr.push_back(rowptr.back() + 2000 - row);
  }
  return rowptr;
}

int64_t cost_of(const std::vector<int64_t>& rowptr, int64_t begin, int64_t end,
                int64_t row_cost) {
  return rowptr[end] - rowptr[begin] + row_cost * (end - begin);
}

TEST(BalancedBlocks, CostAboutTheSameWhateverTheDegrees) {
  const std::vector<int64_t> rowptr = falling_degrees();
  const auto rows = static_cast<int64_t>(rowptr.size()) - 1;
  for (const BlockCost cost : {BlockCost{4096, 1}, BlockCost{50000, 32}}) {
    const std::vector<int64_t> bounds =
        balanced_blocks(rowptr.data(), rows, cost);
    EXPECT_EQ(bounds.front(), 0);
    EXPECT_EQ(bounds.back(), rows);
    ASSERT_GT(bounds.size(), 10u);
    for (size_t b = 0; b + 1 < bounds.size(); ++b) {
      ASSERT_LT(bounds[b], bounds[b + 1]);
      const int64_t found = cost_of(rowptr, bounds[b], bounds[b + 1], cost.row);
      // A row is never cut, so a block may exceed its share by one.
      EXPECT_LE(found, 2 * cost.block + 2000 + cost.row);
    }
  }
}

TEST(BalancedBlocks, AHubHasABlockOfItsOwn) {
  std::vector<int64_t> rowptr = {0};
  for (int64_t row = 0; row < 1000; ++row) {
    rowptr.push_back(rowptr.back() + (row == 500 ? 100000 : 3));
  }
  const std::vector<int64_t> bounds = balanced_blocks(rowptr.data(), 1000);
  const auto after = std::upper_bound(bounds.begin(), bounds.end(), 500);
  EXPECT_EQ(*after, 501);
}

TEST(BalancedBlocks, OfNoEntriesAreStillAllRows) {
  const std::vector<int64_t> rowptr(11, 0);
  EXPECT_EQ(balanced_blocks(rowptr.data(), 10), (std::vector<int64_t>{0, 10}));
}

}  // namespace
}  // namespace ordered_gnn::cpu
