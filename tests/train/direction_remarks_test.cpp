#include "train/direction_remarks.h"

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ordered_gnn::training {
namespace {

TEST(DirectionRemarks, TellOfEdgesThatRunBothWaysWhereItMatters) {
  RunOptions options;
  NodeDataset data;
  data.name = "pair";
  data.graph =
      Graph::from_edges(2, std::vector<std::pair<int64_t, int64_t>>{{0, 1}},
                        {Direction::undirected, SelfLoops::keep});
  EXPECT_TRUE(direction_remarks(options, data).empty());
  options.model = "dir_gnn";
  const std::vector<std::string> told = direction_remarks(options, data);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(contains(told[0], "every edge of 'pair' runs both ways"));
  EXPECT_TRUE(contains(told[0], "--direction as_stored"));
  data.graph =
      Graph::from_edges(2, std::vector<std::pair<int64_t, int64_t>>{{0, 1}});
  EXPECT_TRUE(direction_remarks(options, data).empty());
}

}  // namespace
}  // namespace ordered_gnn::training
