#include "data/formats/planetoid/assembly.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

int64_t largest_node(const NeighbourLists& lists,
                     const std::vector<int64_t>& test_of_line,
                     int64_t num_all) {
  int64_t largest = num_all - 1;
  for (const int64_t node : test_of_line) largest = std::max(largest, node);
  for (const int64_t node : lists.keys) largest = std::max(largest, node);
  const int64_t* const ends = lists.edges.data_ptr<int64_t>();
  for (int64_t i = 0; i < lists.edges.numel(); ++i) {
    largest = std::max(largest, ends[i]);
  }
  return largest;
}

}  // namespace

RowOfNode match_rows(const NeighbourLists& lists,
                     const std::vector<int64_t>& test_of_line, int64_t num_all,
                     const std::filesystem::path& graph_file) {
  const int64_t largest = largest_node(lists, test_of_line, num_all);
  const size_t most =
      static_cast<size_t>(num_all) + test_of_line.size() + lists.keys.size();
  if (static_cast<size_t>(largest) + 1 > most) {
    fail_in(graph_file, fmt::format("node {} is named, but features and "
                                    "neighbour lists are there for at most {} "
                                    "nodes",
                                    largest, most));
  }
  RowOfNode row_of_node(static_cast<size_t>(largest) + 1, kNoRow);
  std::vector<bool> has_list(row_of_node.size(), false);
  for (const int64_t node : lists.keys) {
    has_list[static_cast<size_t>(node)] = true;
  }
  for (int64_t v = 0; v < num_all; ++v) row_of_node[static_cast<size_t>(v)] = v;
  for (size_t i = 0; i < test_of_line.size(); ++i) {
    row_of_node[static_cast<size_t>(test_of_line[i])] =
        num_all + static_cast<int64_t>(i);
  }
  for (size_t v = 0; v < row_of_node.size(); ++v) {
    if (row_of_node[v] == kNoRow && !has_list[v]) {
      fail_in(graph_file, fmt::format("node {} of {} has neither features nor "
                                      "a neighbour list",
                                      v, row_of_node.size()));
    }
  }
  return row_of_node;
}

NodeFeatures gather_features(const PlanetoidPart& all,
                             const PlanetoidPart& test,
                             const RowOfNode& row_of_node) {
  const int64_t num_nodes = static_cast<int64_t>(row_of_node.size());
  const int64_t num_entries =
      all.features.rows.col.size(0) + test.features.rows.col.size(0);
  SparseRows rows{at::zeros({num_nodes + 1}, at::kLong),
                  at::empty({num_entries}, at::kInt),
                  at::empty({num_entries}, at::kFloat)};
  int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  for (int64_t v = 0; v < num_nodes; ++v) {
    rowptr[v + 1] = rowptr[v];
    int64_t row = row_of_node[static_cast<size_t>(v)];
    if (row == kNoRow) continue;
    const bool in_all = row < all.num_rows();
    if (!in_all) row -= all.num_rows();
    const SparseRows& from = (in_all ? all : test).features.rows;
    const int64_t* const start = from.rowptr.data_ptr<int64_t>() + row;
    std::copy(from.col.data_ptr<int32_t>() + start[0],
              from.col.data_ptr<int32_t>() + start[1],
              rows.col.data_ptr<int32_t>() + rowptr[v]);
    std::copy(from.value.data_ptr<float>() + start[0],
              from.value.data_ptr<float>() + start[1],
              rows.value.data_ptr<float>() + rowptr[v]);
    rowptr[v + 1] += start[1] - start[0];
  }
  return NodeFeatures::sparse(std::move(rows), all.features.num_columns);
}

at::Tensor gather_labels(const PlanetoidPart& all, const PlanetoidPart& test,
                         const RowOfNode& row_of_node) {
  std::vector<int64_t> by_row = all.labels;
  by_row.insert(by_row.end(), test.labels.begin(), test.labels.end());
  at::Tensor labels =
      at::empty({static_cast<int64_t>(row_of_node.size())}, at::kLong);
  std::transform(row_of_node.begin(), row_of_node.end(),
                 labels.data_ptr<int64_t>(), [&](int64_t row) {
                   return row == kNoRow ? -1 : by_row[static_cast<size_t>(row)];
                 });
  return labels;
}

}  // namespace ordered_gnn::data
