#include "ordered_gnn/data/node_order.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

#include "support/errors.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

std::vector<int64_t> order_list(const at::Tensor& order) {
  const int64_t* const node = order.data_ptr<int64_t>();
  return std::vector<int64_t>(node, node + order.numel());
}

// Senders of every receiver as a matrix, weights where there are any.
at::Tensor dense_matrix(const Graph& graph) {
  const int64_t nodes = graph.num_nodes();
  const at::Tensor out = torch::zeros({nodes, nodes});
  const int64_t* const row = graph.in().rowptr.data_ptr<int64_t>();
  const int32_t* const col = graph.in().col.data_ptr<int32_t>();
  for (int64_t v = 0; v < nodes; ++v) {
    for (int64_t e = row[v]; e < row[v + 1]; ++e) {
      out[v][col[e]] =
          graph.weights().defined() ? graph.factors().mean[e].item<float>() : 1;
    }
  }
  return out;
}

NodeDataset small_dataset(const Graph& graph, const NodeFeatures& features) {
  NodeDataset data;
  data.name = "small";
  data.graph = graph;
  data.features = features;
  data.labels = torch::arange(graph.num_nodes(), at::kLong).remainder(3);
  data.num_classes = 3;
  data.splits = {{torch::tensor({0, 2, 5}, at::kLong),
                  torch::tensor({1, 3}, at::kLong),
                  torch::tensor({4, 6}, at::kLong)}};
  for (int64_t v = 0; v < graph.num_nodes(); ++v) {
    data.node_names.push_back("n" + std::to_string(v));
  }
  data.provenance.fingerprint = "f";
  return data;
}

TEST(NodeOrder, PutsNodesThatAreReadMostFirst) {
  const Graph graph =
      Graph::from_edges(4, {{2, 0}, {2, 1}, {2, 3}, {1, 0}, {3, 0}});
  EXPECT_EQ(order_list(node_order(graph, NodeOrder::degree)),
            (std::vector<int64_t>{2, 1, 3, 0}));
}

TEST(NodeOrder, CuthillMcKeeStraightensAShuffledPath) {
  // 3 - 0 - 4 - 1 - 2, stored one way, and 5 by itself.
  const Graph graph = Graph::from_edges(6, {{3, 0}, {0, 4}, {4, 1}, {1, 2}});
  const std::vector<int64_t> order =
      order_list(node_order(graph, NodeOrder::rcm));
  EXPECT_EQ(order, (std::vector<int64_t>{3, 0, 4, 1, 2, 5}));
}

TEST(NodeOrder, HasEveryNodeOnce) {
  for (const NamedGraph& named : small_graphs()) {
    for (const NodeOrder order :
         {NodeOrder::none, NodeOrder::degree, NodeOrder::rcm}) {
      std::vector<int64_t> nodes = order_list(node_order(named.graph, order));
      ASSERT_EQ(static_cast<int64_t>(nodes.size()), named.graph.num_nodes());
      std::sort(nodes.begin(), nodes.end());
      for (size_t v = 0; v < nodes.size(); ++v) {
        EXPECT_EQ(nodes[v], static_cast<int64_t>(v)) << named.name;
      }
    }
  }
}

TEST(NodeOrder, NamesAreThoseOfTheOption) {
  EXPECT_EQ(to_string(NodeOrder::rcm), "rcm");
  EXPECT_EQ(parse_node_order("metis"), NodeOrder::metis);
  EXPECT_TRUE(contains(error_of([] { parse_node_order("rmc"); }),
                       "did you mean 'rcm'?"));
  EXPECT_TRUE(contains(
      error_of([] { node_order(one_node(), NodeOrder::metis); }), "METIS"));
}

TEST(Reordered, MovesAllThatBelongsToANode) {
  const at::Tensor order = torch::tensor({6, 2, 0, 4, 1, 5, 3}, at::kLong);
  const Graph plain = random_graph(7, 20, 3);
  const at::Tensor values = torch::rand({7, 4});
  for (const Graph& graph : {plain, weighted(plain, 5)}) {
    const NodeDataset data = small_dataset(graph, NodeFeatures::dense(values));
    const NodeDataset moved = reordered(data, order);
    const at::Tensor expected = dense_matrix(graph).index_select(0, order);
    EXPECT_TRUE(torch::equal(dense_matrix(moved.graph),
                             expected.index_select(1, order)));
    EXPECT_TRUE(
        torch::equal(moved.features.to_dense(), values.index_select(0, order)));
    EXPECT_TRUE(torch::equal(moved.labels, data.labels.index_select(0, order)));
    EXPECT_EQ(order_list(moved.splits[0].train),
              (std::vector<int64_t>{1, 2, 5}));
    EXPECT_EQ(order_list(moved.splits[0].val), (std::vector<int64_t>{4, 6}));
    EXPECT_EQ(moved.node_names[1], "n2");
    EXPECT_TRUE(torch::equal(moved.order, order));
    EXPECT_NE(moved.provenance.fingerprint, data.provenance.fingerprint);
    EXPECT_TRUE(torch::equal(in_loaded_order(moved, moved.features.to_dense()),
                             values));
    EXPECT_TRUE(torch::equal(in_loaded_order(data, values), values));
  }
}

TEST(Reordered, KeepsTheColumnsOfSparseAndIdentityFeatures) {
  const at::Tensor order = torch::tensor({6, 2, 0, 4, 1, 5, 3}, at::kLong);
  SparseRows rows;
  rows.rowptr = torch::tensor({0, 2, 2, 3, 5, 6, 6, 8}, at::kLong);
  rows.col = torch::tensor({0, 3, 1, 0, 2, 3, 1, 2}, at::kInt);
  rows.value = torch::arange(8, at::kFloat);
  for (const NodeFeatures& features :
       {NodeFeatures::sparse(rows, 4), NodeFeatures::identity(7)}) {
    const NodeDataset moved =
        reordered(small_dataset(chain(7), features), order);
    EXPECT_EQ(moved.features.kind(), NodeFeatures::Kind::sparse);
    EXPECT_EQ(moved.features.num_features(), features.num_features());
    EXPECT_TRUE(torch::equal(moved.features.to_dense(),
                             features.to_dense().index_select(0, order)));
  }
}

TEST(Reordered, RefusesWhatIsNoOrder) {
  const NodeDataset data = small_dataset(chain(7), NodeFeatures::identity(7));
  const auto refused = [&](const at::Tensor& order) {
    return error_of([&] { reordered(data, order); });
  };
  EXPECT_TRUE(
      contains(refused(torch::arange(6, at::kLong)), "every node once"));
  EXPECT_TRUE(contains(refused(torch::arange(7, at::kInt)), "every node once"));
  EXPECT_TRUE(
      contains(refused(torch::zeros({7}, at::kLong)), "every node once"));
  EXPECT_TRUE(
      contains(refused(torch::arange(1, 8, at::kLong)), "every node once"));
  const NodeDataset once = reordered(data, torch::arange(7, at::kLong));
  EXPECT_TRUE(
      contains(error_of([&] { reordered(once, torch::arange(7, at::kLong)); }),
               "has been reordered before"));
}

}  // namespace
}  // namespace ordered_gnn
