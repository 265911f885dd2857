#include "data/components.h"

#include <gtest/gtest.h>

namespace ordered_gnn::data {
namespace {

TEST(Components, CountsJoinedAndLoneNodes) {
  Components components(7);
  EXPECT_EQ(components.count(), 7);
  EXPECT_EQ(components.largest(), 1);
  components.join(0, 1);
  components.join(2, 3);
  components.join(1, 3);
  components.join(0, 2);
  components.join(4, 4);
  EXPECT_EQ(components.count(), 4);
  EXPECT_EQ(components.largest(), 4);
}

TEST(Components, NoNodesMakeNoComponent) {
  const Components components(0);
  EXPECT_EQ(components.count(), 0);
  EXPECT_EQ(components.largest(), 0);
}

}  // namespace
}  // namespace ordered_gnn::data
