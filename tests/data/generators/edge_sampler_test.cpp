#include "data/generators/edge_sampler.h"

#include <set>
#include <utility>

#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

struct Sampling {
  std::vector<int64_t> classes;
  std::vector<double> first;
  std::vector<double> second;
  EdgeSamplerOptions options;

  Sampling(int64_t num_nodes, int64_t num_classes) {
    for (int64_t v = 0; v < num_nodes; ++v) classes.push_back(v % num_classes);
    first.assign(num_nodes, 1.0);
    second.assign(num_nodes, 1.0);
    options.num_classes = num_classes;
  }

  SampledEdges sample() {
    options.classes = &classes;
    options.first_weights = &first;
    options.second_weights = &second;
    return sample_edges(options);
  }
};

double share_within_class(const Sampling& sampling, const at::Tensor& edges) {
  const at::Tensor classes = ints(sampling.classes);
  return classes.index_select(0, edges[0])
      .eq(classes.index_select(0, edges[1]))
      .to(torch::kDouble)
      .mean()
      .item<double>();
}

TEST(EdgeSampler, DrawsDistinctEdgesWithoutLoops) {
  for (const bool directed : {false, true}) {
    Sampling sampling(60, 3);
    sampling.options.num_edges = 800;
    sampling.options.directed = directed;
    const SampledEdges sampled = sampling.sample();
    EXPECT_EQ(sampled.edges.size(1), 800);
    EXPECT_EQ(sampled.num_short, 0);
    std::set<std::pair<int64_t, int64_t>> seen;
    for (int64_t e = 0; e < 800; ++e) {
      int64_t a = sampled.edges[0][e].item<int64_t>();
      int64_t b = sampled.edges[1][e].item<int64_t>();
      EXPECT_NE(a, b);
      if (!directed && a > b) std::swap(a, b);
      EXPECT_TRUE(seen.insert({a, b}).second);
    }
  }
}

TEST(EdgeSampler, MeetsTheHomophilyAlsoWithUnequalWeights) {
  for (const double homophily : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    Sampling sampling(3000, 5);
    for (size_t v = 0; v < sampling.second.size(); ++v) {
      sampling.second[v] = 1.0 + static_cast<double>(v % 7);
    }
    sampling.options.homophily = homophily;
    sampling.options.num_edges = 40000;
    const SampledEdges sampled = sampling.sample();
    const double got = share_within_class(sampling, sampled.edges);
    if (homophily == 0.0 || homophily == 1.0) {
      EXPECT_EQ(got, homophily);
    } else {
      EXPECT_NEAR(got, homophily, 0.0125);
    }
  }
}

TEST(EdgeSampler, PrefersHeavyNodes) {
  Sampling sampling(1000, 2);
  sampling.second[10] = 100;
  sampling.options.num_edges = 5000;
  sampling.options.directed = true;
  const SampledEdges sampled = sampling.sample();
  const int64_t received = sampled.edges[1].eq(10).sum().item<int64_t>();
  // 5000 * 100 / 1099 = 455 expected before repeats are redrawn.
  EXPECT_GT(received, 300);
  EXPECT_LT(received, 500);
}

TEST(EdgeSampler, LeavesOutEdgesThatFindNoPlace) {
  Sampling sampling(4, 2);
  sampling.options.num_edges = 100;
  sampling.options.homophily = 0.5;
  const SampledEdges sampled = sampling.sample();
  EXPECT_EQ(sampled.edges.size(1) + sampled.num_short, 100);
  EXPECT_LE(sampled.edges.size(1), 6);
  EXPECT_GE(sampled.edges.size(1), 5);
}

TEST(EdgeSampler, AClassOfOneNodeCannotJoinItself) {
  Sampling sampling(3, 3);
  sampling.options.num_edges = 5;
  sampling.options.homophily = 1;
  EXPECT_EQ(sampling.sample().edges.size(1), 0);
}

}  // namespace
}  // namespace ordered_gnn::data
