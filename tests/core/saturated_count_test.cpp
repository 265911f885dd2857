#include "core/saturated_count.h"

#include <gtest/gtest.h>

#include <limits>

namespace ordered_gnn::core {
namespace {

TEST(SaturatedCount, KeepsWhatCanBeAndBoundsWhatCannot) {
  const int64_t whole = (int64_t{1} << 53) - 1;
  EXPECT_EQ(saturated_count(static_cast<double>(whole)), whole);
  EXPECT_EQ(saturated_count(2.75), 2);
  const auto most = static_cast<int64_t>(kMostCounted);
  EXPECT_EQ(saturated_count(1e30), most);
  EXPECT_EQ(saturated_count(std::numeric_limits<double>::infinity()), most);
  EXPECT_LT(most, std::numeric_limits<int64_t>::max() - most);
}

}  // namespace
}  // namespace ordered_gnn::core
