#include "train/neighbor_sampler.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ordered_gnn/core/random.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::training {
namespace {

constexpr int64_t kAll = NeighborSampler::kAll;

Graph drawn_graph(SelfLoops loops = SelfLoops::keep) {
  constexpr int64_t kNodes = 300, kEdges = 1800;
  RandomStream random(/*seed=*/5);
  const at::Tensor ends = torch::empty({2, kEdges}, torch::kLong);
  for (int64_t i = 0; i < 2 * kEdges; ++i) {
    ends.data_ptr<int64_t>()[i] = static_cast<int64_t>(random.below(kNodes));
  }
  return Graph::from_edges(kNodes, ends, {Direction::undirected, loops, {}});
}

std::set<int64_t> row_of(const Graph& graph, int64_t node) {
  std::set<int64_t> out;
  const auto* const rowptr = graph.in().rowptr.data_ptr<int64_t>();
  const auto* const col = graph.in().col.data_ptr<int32_t>();
  for (int64_t e = rowptr[node]; e < rowptr[node + 1]; ++e) out.insert(col[e]);
  return out;
}

// By ids of the whole graph.
std::set<int64_t> row_in(const SampledPart& part, int64_t node) {
  std::set<int64_t> out;
  for (const int64_t place : row_of(part.graph, part.place_of(node))) {
    out.insert(part.nodes[place]);
  }
  return out;
}

TEST(NeighborSampler, KeepsAsManyNeighboursAsAskedForAndTheLoop) {
  const Graph graph = drawn_graph(SelfLoops::add);
  const std::vector<int64_t> seeds = {5, 17, 200};
  NeighborSampler sampler(graph, {{4, 2}, /*seed=*/3});
  const SampledPart part = sampler.draw(seeds, 1, 0);
  std::set<int64_t> first_hop(seeds.begin(), seeds.end());
  for (const int64_t seed : seeds) {
    const std::set<int64_t> all = row_of(graph, seed);
    const std::set<int64_t> kept = row_in(part, seed);
    const auto others = static_cast<int64_t>(all.size() - all.count(seed));
    EXPECT_EQ(kept.size() - kept.count(seed),
              static_cast<size_t>(std::min<int64_t>(others, 4)));
    EXPECT_EQ(kept.count(seed), all.count(seed));
    for (const int64_t u : kept) EXPECT_EQ(all.count(u), 1U);
    first_hop.insert(kept.begin(), kept.end());
  }
  std::set<int64_t> second_hop = first_hop;
  for (const int64_t node : first_hop) {
    const std::set<int64_t> kept = row_in(part, node);
    if (std::count(seeds.begin(), seeds.end(), node) == 0) {
      EXPECT_LE(kept.size() - kept.count(node), 2U);
      EXPECT_GT(kept.size(), 0U);
    }
    second_hop.insert(kept.begin(), kept.end());
  }
  EXPECT_EQ(std::set<int64_t>(part.nodes.begin(), part.nodes.end()),
            second_hop);
  for (const int64_t node : second_hop) {
    if (first_hop.count(node) == 0) {
      EXPECT_TRUE(row_in(part, node).empty());
    }
  }
}

TEST(NeighborSampler, DrawsFollowFromSeedEpochBatchAndNodeAlone) {
  const Graph graph = drawn_graph();
  NeighborSampler sampler(graph, {{3}, 3});
  const SampledPart alone = sampler.draw({40}, 2, 1);
  const SampledPart beside = sampler.draw({7, 40, 90}, 2, 1);
  EXPECT_EQ(row_in(alone, 40), row_in(beside, 40));
  EXPECT_EQ(NeighborSampler(graph, {{3}, 3}).draw({40}, 2, 1).nodes,
            alone.nodes);
  std::set<std::set<int64_t>> rows = {row_in(alone, 40)};
  rows.insert(row_in(sampler.draw({40}, 3, 1), 40));
  rows.insert(row_in(sampler.draw({40}, 2, 2), 40));
  rows.insert(row_in(NeighborSampler(graph, {{3}, 4}).draw({40}, 2, 1), 40));
  EXPECT_GT(rows.size(), 2U);
}

// Every neighbour comes about as often as any other.
TEST(NeighborSampler, DrawsNeighboursEvenly) {
  const Graph graph = drawn_graph();
  const int64_t node = 11;
  const std::set<int64_t> all = row_of(graph, node);
  ASSERT_GT(all.size(), 6U);
  NeighborSampler sampler(graph, {{3}, 9});
  std::map<int64_t, int> times;
  constexpr int kEpochs = 3000;
  for (int epoch = 1; epoch <= kEpochs; ++epoch) {
    for (const int64_t u : row_in(sampler.draw({node}, epoch, 0), node)) {
      ++times[u];
    }
  }
  const double expected = kEpochs * 3.0 / static_cast<double>(all.size());
  for (const int64_t u : all) {
    EXPECT_NEAR(times[u], expected, 6 * std::sqrt(expected)) << u;
  }
}

TEST(NeighborSampler, AllNeighboursGiveTheSumsOfTheWholeGraph) {
  const Graph graph = drawn_graph(SelfLoops::add);
  const at::Tensor h = torch::randn({graph.num_nodes(), 5});
  NeighborSampler sampler(graph, {{kAll}, 3, /*weights=*/true});
  const SampledPart part = sampler.draw({5, 17, 200}, 1, 0);
  EXPECT_FALSE(part.graph.weights().defined());
  const at::Tensor ids = torch::tensor(part.nodes, torch::kLong);
  const at::Tensor rows = h.index_select(0, ids);
  for (const int64_t seed : {5, 17, 200}) {
    const int64_t place = part.place_of(seed);
    EXPECT_TRUE(torch::equal(mean_aggregate(part.graph, rows)[place],
                             mean_aggregate(graph, h)[seed]));
    EXPECT_TRUE(torch::equal(gcn_aggregate(part.graph, rows)[place],
                             gcn_aggregate(graph, h)[seed]));
  }
}

// Sums of kept messages are, on the mean, those of all.
TEST(NeighborSampler, WeightsLetSumsBeRightOnTheMean) {
  const Graph graph = drawn_graph(SelfLoops::add);
  const at::Tensor h =
      torch::ones({graph.num_nodes(), 1}) + torch::rand({graph.num_nodes(), 1});
  const int64_t node = 11;
  NeighborSampler sampler(graph, {{3}, 9, /*weights=*/true});
  double sum = 0, gcn = 0;
  constexpr int kEpochs = 2000;
  for (int epoch = 1; epoch <= kEpochs; ++epoch) {
    const SampledPart part = sampler.draw({node}, epoch, 0);
    const at::Tensor rows =
        h.index_select(0, torch::tensor(part.nodes, torch::kLong));
    const int64_t place = part.place_of(node);
    sum += sum_aggregate(part.graph, rows)[place].item<double>();
    gcn += gcn_aggregate(part.graph, rows)[place].item<double>();
  }
  const double all = sum_aggregate(graph, h)[node].item<double>();
  const double scaled = gcn_aggregate(graph, h)[node].item<double>();
  EXPECT_NEAR(sum / kEpochs, all, 0.02 * all);
  EXPECT_NEAR(gcn / kEpochs, scaled, 0.02 * scaled);
}

}  // namespace
}  // namespace ordered_gnn::training
