#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/list_table.h"
#include "core/row_table.h"
#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::core {
namespace {

TEST(RowTable, VersionsShareWhatTheyHaveInCommon) {
  const at::Tensor rows = torch::rand({300, 5});
  const RowTable first = RowTable::of(rows);
  EXPECT_TRUE(torch::equal(first.all(), rows));
  RowTable second = first;
  {
    RowTable::Editor editor(second);
    editor.row(7)[2] = 9;
    editor.grow_to(400);
    editor.row(399)[0] = 4;
  }
  EXPECT_TRUE(torch::equal(first.all(), rows));
  EXPECT_EQ(second.num_rows(), 400);
  EXPECT_EQ(second.row(7)[2], 9);
  EXPECT_EQ(second.row(399)[0], 4);
  EXPECT_EQ(second.row(399)[1], 0);
  EXPECT_NE(second.row(7), first.row(7));
  EXPECT_EQ(second.row(200), first.row(200));
  EXPECT_TRUE(torch::equal(second.gathered({7, 299}).narrow(0, 1, 1),
                           rows.narrow(0, 299, 1)));
}

TEST(RowTable, WritesOnlyRowsThatDiffer) {
  const at::Tensor rows = torch::rand({200, 3});
  const RowTable first = RowTable::of(rows);
  RowTable second = first;
  at::Tensor values = rows.index_select(0, torch::tensor({3, 150, 199}));
  values[1][0] = 2;
  const std::vector<int64_t> changed =
      RowTable::Editor(second).write({3, 150, 199}, values, 199);
  EXPECT_EQ(changed, (std::vector<int64_t>{150, 199}));
  EXPECT_EQ(second.row(3), first.row(3));
  EXPECT_EQ(second.row(150)[0], 2);
  EXPECT_EQ(RowTable::of(rows, &first).row(5), first.row(5));
  EXPECT_NE(RowTable::of(rows + 1, &first).row(5), first.row(5));
}

TEST(RowTable, ClearedChunksAreZeros) {
  const RowTable first = RowTable::of(torch::rand({400, 3}));
  RowTable second = first;
  {
    RowTable::Editor editor(second);
    editor.row(1)[0] = 5;
    editor.clear(0);
    editor.clear(2);
    editor.row(256)[1] = 7;
  }
  EXPECT_EQ(second.row(1)[0], 0);
  EXPECT_EQ(second.row(128), first.row(128));
  EXPECT_EQ(second.row(256)[1], 7);
  EXPECT_EQ(second.row(257)[1], 0);
  EXPECT_EQ(second.row(0)[1], 0);
}

TEST(ListTable, IsChangedRowByRow) {
  const Graph graph =
      Graph::from_edges(300, std::vector<std::pair<int64_t, int64_t>>{
                                 {1, 0}, {5, 0}, {9, 130}, {2, 299}});
  const ListTable first = ListTable::of(graph.in());
  EXPECT_TRUE(torch::equal(first.all().col, graph.in().col));
  EXPECT_TRUE(torch::equal(first.all().rowptr, graph.in().rowptr));
  ListTable second = first;
  {
    ListTable::Editor editor(second);
    EXPECT_TRUE(editor.insert(0, 3));
    EXPECT_FALSE(editor.insert(0, 5));
    EXPECT_TRUE(editor.erase(130, 9));
    EXPECT_FALSE(editor.erase(130, 9));
    editor.grow_to(301);
    editor.assign(300, {4, 8});
    editor.assign(299, {});
  }
  const ListTable::Row row = second.row(0);
  EXPECT_EQ(std::vector<int32_t>(row.begin, row.end),
            (std::vector<int32_t>{1, 3, 5}));
  EXPECT_EQ(second.num_entries(), 5);
  EXPECT_EQ(second.row(130).size(), 0);
  EXPECT_TRUE(second.has(300, 8));
  EXPECT_FALSE(second.has(299, 2));
  EXPECT_TRUE(first.has(130, 9));
  EXPECT_EQ(first.num_entries(), 4);
}

TEST(ListTable, HoldsSparseFeatures) {
  const NodeFeatures features = NodeFeatures::sparse(
      {torch::tensor({0, 2, 3}, at::kLong), torch::tensor({0, 4, 1}, at::kInt),
       torch::tensor({1.f, 2.f, 3.f})},
      5);
  ListTable table = ListTable::of(features.rows());
  EXPECT_EQ(table.row(0).value[1], 2);
  ListTable::Editor(table).assign(0, {2}, {7});
  EXPECT_EQ(table.row(0).value[0], 7);
  EXPECT_EQ(table.row(1).value[0], 3);
}

}  // namespace
}  // namespace ordered_gnn::core
