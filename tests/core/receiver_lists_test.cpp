#include "ordered_gnn/core/receiver_lists.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/graphs.h"

namespace ordered_gnn::core {
namespace {

using List = std::vector<int64_t>;

List row_of(const Adjacency& lists, int64_t row) {
  const int64_t* const rowptr = lists.rowptr.data_ptr<int64_t>();
  const int32_t* const col = lists.col.data_ptr<int32_t>();
  return List(col + rowptr[row], col + rowptr[row + 1]);
}

at::Tensor ids(const List& nodes) {
  return torch::tensor(nodes, torch::dtype(at::kLong));
}

TEST(ReceiverLists, HoldTheEdgesToTheNodesBothWaysRound) {
  const Graph graph = Graph::from_edges(
      5, {{0, 1}, {2, 1}, {1, 1}, {3, 4}, {0, 4}, {1, 0}, {4, 3}});
  const ReceiverLists lists = receiver_lists(graph, ids({4, 1}));
  EXPECT_EQ(row_of(lists.in, 0), (List{0, 3}));
  EXPECT_EQ(row_of(lists.in, 1), (List{0, 1, 2}));
  EXPECT_TRUE(torch::equal(
      lists.place, torch::tensor({-1, 1, -1, -1, 0}, torch::dtype(at::kInt))));
  // Places of the receivers, in the order of their numbers.
  EXPECT_EQ(row_of(lists.out, 0), (List{1, 0}));
  EXPECT_EQ(row_of(lists.out, 1), (List{1}));
  EXPECT_EQ(row_of(lists.out, 2), (List{1}));
  EXPECT_EQ(row_of(lists.out, 3), (List{0}));
  EXPECT_EQ(row_of(lists.out, 4), List{});
}

TEST(ReceiverLists, OfAllNodesAreThoseOfTheGraph) {
  for (const NamedGraph& item : small_graphs()) {
    SCOPED_TRACE(item.name);
    const int64_t nodes = item.graph.num_nodes();
    const ReceiverLists lists =
        receiver_lists(item.graph, torch::arange(nodes, at::kLong));
    EXPECT_TRUE(torch::equal(lists.in.rowptr, item.graph.in().rowptr));
    EXPECT_TRUE(torch::equal(lists.in.col, item.graph.in().col));
    EXPECT_TRUE(torch::equal(lists.out.rowptr, item.graph.out().rowptr));
    EXPECT_TRUE(torch::equal(lists.out.col, item.graph.out().col));
  }
}

TEST(ReceiverLists, OfNoNodesAreEmpty) {
  const ReceiverLists lists = receiver_lists(star(6), ids({}));
  EXPECT_EQ(lists.in.rowptr.numel(), 1);
  EXPECT_EQ(lists.in.col.numel(), 0);
  EXPECT_EQ(lists.out.rowptr.numel(), 7);
  EXPECT_EQ(lists.out.col.numel(), 0);
  EXPECT_EQ(lists.place.max().item<int>(), -1);
}

}  // namespace
}  // namespace ordered_gnn::core
