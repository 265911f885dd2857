#include "data/generators/csbm.h"

#include <cmath>

#include "data/data_support.h"
#include "data/fingerprint.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::data {
namespace {

TEST(Csbm, HasTheAskedSizesAndHomophily) {
  for (const double homophily : {0.0, 0.25, 1.0}) {
    CsbmOptions options;
    options.nodes = 3000;
    options.classes = 4;
    options.features = 16;
    options.degree = 12;
    options.homophily = homophily;
    const RawDataset raw = generate_csbm(options);
    const DatasetStatistics statistics = compute_statistics(raw);
    EXPECT_EQ(statistics.num_nodes, 3000);
    EXPECT_EQ(statistics.num_edges, 36000);
    EXPECT_EQ(statistics.num_self_loops, 0);
    EXPECT_EQ(statistics.num_duplicates, 0);
    EXPECT_EQ(statistics.class_sizes, std::vector<int64_t>(4, 750));
    EXPECT_EQ(statistics.num_splits, 10);
    EXPECT_EQ(statistics.split_class_sizes[0].train,
              std::vector<int64_t>(4, 360));
    EXPECT_NEAR(statistics.edge_homophily, homophily, 0.02);
  }
}

TEST(Csbm, DirectedGraphsCountOutEdges) {
  CsbmOptions options;
  options.nodes = 500;
  options.degree = 4;
  options.directed = true;
  const RawDataset raw = generate_csbm(options);
  EXPECT_FALSE(raw.edges_are_undirected);
  EXPECT_EQ(raw.edges.size(1), 2000);
}

TEST(Csbm, DegreeSpreadMakesTheTailHeavier) {
  CsbmOptions options;
  options.nodes = 5000;
  options.features = 1;
  const int64_t even = compute_statistics(generate_csbm(options)).in_degree.max;
  options.degree_spread = 1.5;
  const int64_t spread =
      compute_statistics(generate_csbm(options)).in_degree.max;
  EXPECT_LT(even, 30);
  EXPECT_GT(spread, 5 * even);
}

TEST(Csbm, ClassMeansAreTheSignalApart) {
  CsbmOptions options;
  options.nodes = 40000;
  options.classes = 3;
  options.features = 8;
  options.signal = 3;
  options.degree = 1;
  const RawDataset raw = generate_csbm(options);
  const at::Tensor values = raw.features.to_dense().to(torch::kDouble);
  std::vector<at::Tensor> means;
  for (int64_t c = 0; c < 3; ++c) {
    const at::Tensor rows =
        values.index_select(0, raw.labels.eq(c).nonzero().squeeze(1));
    means.push_back(rows.mean(0));
    EXPECT_NEAR(rows.std(0).mean().item<double>(), 1, 0.02);
  }
  EXPECT_NEAR((means[0] - means[1]).norm().item<double>(), 3, 0.1);
  EXPECT_NEAR((means[0] - means[2]).norm().item<double>(), 3, 0.1);
  EXPECT_NEAR((means[1] - means[2]).norm().item<double>(), 3, 0.1);
}

TEST(Csbm, SparseFeaturesHaveTheDensityAndFollowTheClass) {
  CsbmOptions options;
  options.classes = 5;
  options.features = 200;
  options.sparse = true;
  options.density = 0.05;
  options.signal = 6;
  const RawDataset raw = generate_csbm(options);
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  const at::Tensor values = raw.features.to_dense();
  EXPECT_NEAR(values.mean().item<double>(), 0.05, 0.001);
  const at::Tensor of_class_2 =
      values.index_select(0, raw.labels.eq(2).nonzero().squeeze(1));
  const double own = of_class_2.slice(1, 80, 120).sum().item<double>();
  // 3/4 from the own fifth of the words and a fifth of the other quarter.
  EXPECT_NEAR(own / of_class_2.sum().item<double>(), 0.8, 0.05);
}

TEST(Csbm, SameOptionsGiveTheSameBitsForAnyNumberOfThreads) {
  CsbmOptions options;
  options.nodes = 20000;
  options.features = 4;
  options.degree_spread = 1;
  const int before = num_threads();
  set_num_threads(1);
  const std::string one = content_fingerprint(generate_csbm(options));
  set_num_threads(4);
  const std::string four = content_fingerprint(generate_csbm(options));
  set_num_threads(before);
  EXPECT_EQ(one, four);
  options.seed = 1;
  EXPECT_NE(content_fingerprint(generate_csbm(options)), one);
}

TEST(Csbm, SplitsCanBeLeftOut) {
  CsbmOptions options;
  options.nodes = 10;
  options.splits = 0;
  options.degree = 2;
  EXPECT_TRUE(generate_csbm(options).splits.empty());
}

TEST(Csbm, NamesTheOptionThatDoesNotFit) {
  struct Case {
    void (*change)(CsbmOptions&);
    const char* part;
  };
  const std::vector<Case> cases = {
      {[](CsbmOptions& o) { o.homophily = 1.5; },
       "'homophily' takes a number from 0 to 1, got 1.5"},
      {[](CsbmOptions& o) { o.homophily = std::nan(""); }, "homophily"},
      {[](CsbmOptions& o) { o.nodes = 0; }, "'nodes' takes an integer from 2"},
      {[](CsbmOptions& o) { o.classes = 900, o.nodes = 800; }, "classes"},
      {[](CsbmOptions& o) { o.classes = 1; }, "with one class"},
      {[](CsbmOptions& o) { o.nodes = 5, o.degree = 5; },
       "at most 4 neighbours"},
      {[](CsbmOptions& o) { o.train = 0.7, o.val = 0.4; },
       "add up to at most 1"},
      {[](CsbmOptions& o) { o.nodes = 100000000, o.degree = 1000; },
       "nodes * degree"},
      {[](CsbmOptions& o) { o.nodes = 100000000, o.features = 1000; },
       "nodes * features"},
  };
  for (const Case& c : cases) {
    CsbmOptions options;
    c.change(options);
    EXPECT_TRUE(contains(error_of([&] { generate_csbm(options); }), c.part));
  }
}

}  // namespace
}  // namespace ordered_gnn::data
