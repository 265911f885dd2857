#include "train/batch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ordered_gnn::training {
namespace {

TEST(BatchOrder, DealsEveryPartOnceInBatchesOfLikeSize) {
  for (const int64_t parts : {1, 5, 10, 16}) {
    for (int64_t most = 1; most <= parts; ++most) {
      const auto batches = draw_batches(parts, most, /*seed=*/3, /*epoch=*/2);
      EXPECT_EQ(static_cast<int64_t>(batches.size()),
                batches_per_epoch(parts, most));
      std::set<int64_t> seen;
      size_t least = batches[0].size(), largest = 0;
      for (const std::vector<int64_t>& batch : batches) {
        EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end()));
        seen.insert(batch.begin(), batch.end());
        least = std::min(least, batch.size());
        largest = std::max(largest, batch.size());
      }
      EXPECT_EQ(static_cast<int64_t>(seen.size()), parts);
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), parts - 1);
      EXPECT_LE(static_cast<int64_t>(largest), most);
      EXPECT_LE(largest - least, 1U);
    }
  }
}

TEST(BatchOrder, FollowsFromSeedAndEpoch) {
  const auto batches = draw_batches(16, 4, 3, 2);
  EXPECT_EQ(draw_batches(16, 4, 3, 2), batches);
  EXPECT_NE(draw_batches(16, 4, 3, 3), batches);
  EXPECT_NE(draw_batches(16, 4, 4, 2), batches);
}

}  // namespace
}  // namespace ordered_gnn::training
