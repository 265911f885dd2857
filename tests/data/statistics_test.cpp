#include "ordered_gnn/data/statistics.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

// Seven nodes: 0 -> 1 (twice), 1 -> 0, 0 -> 2, 3 -> 2, 4 -> 4; 5 and 6 alone.
RawDataset odd_graph() {
  RawDataset raw;
  raw.name = "odd";
  raw.num_nodes = 7;
  raw.edges =
      torch::tensor({{0, 0, 1, 0, 3, 4}, {1, 1, 0, 2, 2, 4}}, torch::kLong);
  raw.features = NodeFeatures::identity(7);
  raw.labels = ints({0, 0, 1, -1, 1, 0, 1});
  raw.num_classes = 3;
  raw.splits = {{ints({0, 3}), ints({1, 2}), ints({4})}};
  return raw;
}

TEST(Statistics, CountsByHand) {
  const DatasetStatistics s = compute_statistics(odd_graph());
  EXPECT_EQ(s.name, "odd");
  EXPECT_EQ(s.num_nodes, 7);
  EXPECT_EQ(s.num_edges, 4);
  EXPECT_EQ(s.num_self_loops, 1);
  EXPECT_EQ(s.num_duplicates, 1);
  EXPECT_EQ(s.num_features, 7);
  EXPECT_EQ(s.num_classes, 3);
  EXPECT_EQ(s.num_labelled, 6);
  EXPECT_EQ(s.num_splits, 1);
  EXPECT_EQ(s.isolated_nodes, 3);
  EXPECT_EQ(s.num_components, 4);
  EXPECT_EQ(s.largest_component, 4);
  EXPECT_EQ(s.class_sizes, (std::vector<int64_t>{3, 3, 0}));
  EXPECT_EQ(s.split_class_sizes[0].train, (std::vector<int64_t>{1, 0, 0}));
  EXPECT_EQ(s.split_class_sizes[0].val, (std::vector<int64_t>{1, 1, 0}));
  EXPECT_EQ(s.split_class_sizes[0].test, (std::vector<int64_t>{0, 1, 0}));
}

TEST(Statistics, SharesOfEdgesThatGoBothWays) {
  // 0 -> 1 and 1 -> 0 of four edges; the loop does not count.
  const DatasetStatistics s = compute_statistics(odd_graph());
  EXPECT_DOUBLE_EQ(s.reciprocal_share, 0.5);
  const RawDataset raw = odd_graph();
  const DatasetStatistics both = compute_statistics(raw, Direction::undirected);
  EXPECT_DOUBLE_EQ(both.reciprocal_share, 1);
  EXPECT_DOUBLE_EQ(
      reciprocal_share(Graph::from_edges(3, {{0, 1}, {1, 2}, {2, 0}})), 0);
  EXPECT_TRUE(std::isnan(reciprocal_share(Graph::from_edges(2, {{0, 0}}))));
  EXPECT_TRUE(std::isnan(reciprocal_share(Graph())));
}

TEST(Statistics, HomophiliesByHand) {
  const DatasetStatistics s = compute_statistics(odd_graph());
  // Labelled unordered pairs: {0, 1} and the loop {4} agree, {0, 2} does not.
  EXPECT_DOUBLE_EQ(s.edge_homophily, 2.0 / 3);
  // Node 0: {1, 2} one half; node 1: {0} all; node 2: {0} none.
  EXPECT_DOUBLE_EQ(s.node_homophily, 0.5);
  // Class 0 sends 3 and receives 2, class 1 sends 0: expected 6 / 9.
  EXPECT_NEAR(s.adjusted_homophily, 0, 1e-12);
}

TEST(Statistics, AdjustedHomophilyMatchesItsUndirectedDefinition) {
  RawDataset raw = small_dataset();
  raw.edges_are_undirected = true;
  // 0-1, 1-2, 3-0: degrees of class 0 (nodes 0, 3) and 1 (1, 2) are 3 and 3.
  const DatasetStatistics s = compute_statistics(raw);
  EXPECT_EQ(s.num_edges, 6);
  // With its loop, three of four unordered pairs agree.
  EXPECT_DOUBLE_EQ(s.edge_homophily, 0.75);
  EXPECT_NEAR(s.adjusted_homophily, (2.0 / 3 - 0.5) / 0.5, 1e-12);
}

TEST(Statistics, DegreesLeaveLoopsOut) {
  const DatasetStatistics s = compute_statistics(odd_graph());
  EXPECT_EQ(s.in_degree.max, 2);
  EXPECT_EQ(s.in_degree.min, 0);
  EXPECT_EQ(s.in_degree.median, 0);
  EXPECT_EQ(s.in_degree.quartile3, 1);
  EXPECT_DOUBLE_EQ(s.in_degree.mean, 4.0 / 7);
  EXPECT_EQ(s.out_degree.max, 2);
  EXPECT_DOUBLE_EQ(s.out_degree.mean, 4.0 / 7);
}

TEST(Statistics, DirectionChangesWhatCountsAsAPair) {
  const RawDataset raw = odd_graph();
  EXPECT_EQ(compute_statistics(raw, Direction::undirected).num_edges, 6);
  const DatasetStatistics reversed =
      compute_statistics(raw, Direction::reversed);
  EXPECT_EQ(reversed.num_edges, 4);
  EXPECT_EQ(reversed.out_degree.max, 2);
  EXPECT_EQ(reversed.num_duplicates, 1);
}

TEST(Statistics, NothingToAverageIsNaNAndNullInJson) {
  RawDataset raw = small_dataset();
  raw.edges = torch::empty({2, 0}, torch::kLong);
  const DatasetStatistics s = compute_statistics(raw);
  EXPECT_TRUE(std::isnan(s.edge_homophily));
  EXPECT_TRUE(std::isnan(s.node_homophily));
  EXPECT_TRUE(std::isnan(s.adjusted_homophily));
  EXPECT_EQ(s.isolated_nodes, 4);
  nlohmann::ordered_json json;
  to_json(json, s);
  EXPECT_TRUE(contains(json.dump(), "\"edge_homophily\":null"));
}

TEST(Statistics, JsonHasTheNamesOtherProgramsRelyOn) {
  const nlohmann::ordered_json json = compute_statistics(odd_graph());
  for (const char* key : {"name", "num_nodes", "num_edges", "num_self_loops",
                          "num_duplicates", "num_features", "num_classes",
                          "num_splits", "edge_homophily", "isolated_nodes"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["num_edges"], 4);
  EXPECT_EQ(json["in_degree"]["max"], 2);
  EXPECT_EQ(json["split_class_sizes"][0]["val"][1], 1);
}

}  // namespace
}  // namespace ordered_gnn::data
