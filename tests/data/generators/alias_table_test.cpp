#include "data/generators/alias_table.h"

#include <gtest/gtest.h>

namespace ordered_gnn::data {
namespace {

TEST(AliasTable, DrawsInProportionToTheWeights) {
  const std::vector<double> weights = {1, 0.5, 4, 2.5, 2};
  const AliasTable table(weights);
  EXPECT_DOUBLE_EQ(table.total_weight(), 10);
  std::vector<double> counts(weights.size(), 0);
  RandomStream random(3);
  const int draws = 200000;
  for (int i = 0; i < draws; ++i) ++counts[table.draw(random)];
  for (size_t i = 0; i < weights.size(); ++i) {
    // Five standard deviations of the largest count.
    EXPECT_NEAR(counts[i] / draws, weights[i] / 10, 0.006) << i;
  }
}

TEST(AliasTable, ASingleEntryIsAlwaysDrawn) {
  const AliasTable table({0.25});
  RandomStream random(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(table.draw(random), 0);
}

}  // namespace
}  // namespace ordered_gnn::data
