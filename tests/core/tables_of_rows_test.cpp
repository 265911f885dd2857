#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/list_table.h"
#include "core/row_moves.h"
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

TEST(RowMoves, DropEmptyChunksAndJoinThinOnes) {
  // Chunks 1 and 2 are empty, 4 and 5 half full, 7 is the last.
  const int64_t rows = 7 * kRowsPerChunk + 10;
  const auto is_used = [](int64_t r) {
    const int64_t chunk = r / kRowsPerChunk;
    if (chunk == 1 || chunk == 2) return false;
    return (chunk != 4 && chunk != 5) || r % 2 == 0;
  };
  const auto moves = plan_row_moves(rows, is_used);
  ASSERT_TRUE(moves.has_value());
  EXPECT_EQ(moves->num_rows, rows - 3 * kRowsPerChunk);
  int64_t last = -1;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t after = moves->row_after[static_cast<size_t>(r)];
    if (!is_used(r)) continue;
    EXPECT_GT(after, last) << r;
    last = after;
  }
  EXPECT_EQ(last, moves->num_rows - 1);
  const at::Tensor values = torch::rand({rows, 3});
  const RowTable before = RowTable::of(values);
  const RowTable after = before.moved(*moves);
  EXPECT_EQ(after.row(kRowsPerChunk), before.row(3 * kRowsPerChunk));
  EXPECT_EQ(after.row(moves->num_rows - 1)[2], before.row(rows - 1)[2]);
  EXPECT_EQ(after.row(2 * kRowsPerChunk + 1)[0],
            before.row(4 * kRowsPerChunk + 2)[0]);
  EXPECT_FALSE(plan_row_moves(rows, [](int64_t) { return true; }));
}

// Columns that are rows follow, and later versions take what was moved before.
TEST(RowMoves, ListsFollow) {
  const int64_t rows = 4 * kRowsPerChunk;
  const auto is_used = [](int64_t r) {
    return r < kRowsPerChunk || r >= 3 * kRowsPerChunk;
  };
  const auto moves = plan_row_moves(rows, is_used);
  ASSERT_TRUE(moves.has_value());
  const int64_t far = rows - 1;
  const Graph graph = Graph::from_edges(
      rows, std::vector<std::pair<int64_t, int64_t>>{{far, 0}, {1, far}});
  const ListTable first = ListTable::of(graph.in());
  const ListTable moved = first.moved(*moves, true);
  EXPECT_EQ(moved.num_rows(), moves->num_rows);
  EXPECT_TRUE(moved.has(0, far - 2 * kRowsPerChunk));
  EXPECT_TRUE(moved.has(far - 2 * kRowsPerChunk, 1));
  ListTable second = first;
  {
    ListTable::Editor editor(second);
    editor.grow_to(rows + 1);
    editor.insert(rows, far);
  }
  const MovedVersion<ListTable> known{first, moved};
  const ListTable later = second.moved(moves->extended(rows + 1), true, &known);
  EXPECT_EQ(later.num_rows(), moves->num_rows + 1);
  EXPECT_EQ(later.row(0).begin, moved.row(0).begin);
  EXPECT_TRUE(later.has(moves->num_rows, far - 2 * kRowsPerChunk));
}

TEST(ListTable, HoldsWeights) {
  const Graph graph = Graph::from_edges(
      3, std::vector<std::pair<int64_t, int64_t>>{{1, 0}, {2, 0}});
  ListTable table = ListTable::of(graph.in(), torch::tensor({2.f, 3.f}));
  {
    ListTable::Editor editor(table);
    EXPECT_FALSE(editor.put(0, 2, 3));
    EXPECT_TRUE(editor.put(0, 2, 4));
    EXPECT_TRUE(editor.put(0, 0, 5));
    EXPECT_TRUE(editor.put(2, 1, 6));
    EXPECT_TRUE(editor.erase(0, 1));
  }
  EXPECT_TRUE(torch::equal(table.all_values(), torch::tensor({5.f, 4.f, 6.f})));
}

}  // namespace
}  // namespace ordered_gnn::core
