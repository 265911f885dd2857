#include "ordered_gnn/explain/over_smoothing.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/parallel.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/tensors.h"

namespace ordered_gnn::explain {
namespace {

TEST(MeasureSpread, GivesHandWorkedNumbers) {
  // A triangle with sides 3, 4 and 5, in one corner the origin; 0 -> 1 and
  // 2 -> 1 are edges, the loop does not count.
  const at::Tensor state = torch::tensor({{0.f, 0.f}, {3.f, 0.f}, {0.f, 4.f}});
  const Graph graph = Graph::from_edges(3, {{0, 1}, {2, 1}, {2, 2}});
  const LayerSpread spread = measure_spread(graph, state);
  EXPECT_DOUBLE_EQ(spread.mean_norm, 7.0 / 3);
  EXPECT_DOUBLE_EQ(spread.mean_distance, 4);
  EXPECT_DOUBLE_EQ(spread.relative_distance, 4 / (7.0 / 3));
  EXPECT_NEAR(spread.mean_square_distance, (9 + 16 + 25) / 3.0, 1e-12);
  EXPECT_DOUBLE_EQ(spread.dirichlet_energy, (9 + 25) / 2.0);
  EXPECT_NEAR(spread.relative_energy, 17 / (50.0 / 3), 1e-12);
  // Only nodes 1 and 2 have a direction, at right angles.
  EXPECT_NEAR(spread.mean_cosine, 0, 1e-12);
}

struct Plain {
  double distance = 0;
  double square = 0;
  double cosine = 0;
};

Plain plain_spread(const at::Tensor& state) {
  const at::Tensor rows = state.to(at::kDouble);
  const at::Tensor unit = rows / rows.norm(2, 1, true);
  Plain out;
  const int64_t nodes = rows.size(0);
  for (int64_t a = 0; a < nodes; ++a) {
    for (int64_t b = 0; b < nodes; ++b) {
      if (a == b) continue;
      const double gap = (rows[a] - rows[b]).norm().item<double>();
      out.distance += gap;
      out.square += gap * gap;
      out.cosine += unit[a].dot(unit[b]).item<double>();
    }
  }
  const auto pairs = static_cast<double>(nodes * (nodes - 1));
  return {out.distance / pairs, out.square / pairs, out.cosine / pairs};
}

TEST(MeasureSpread, AgreesWithAllPairs) {
  const at::Tensor state = random_tensor({40, 19}, at::kFloat, 6) + 0.3;
  const Graph graph = random_graph(40, 120, 2);
  const LayerSpread spread = measure_spread(graph, state);
  const Plain plain = plain_spread(state);
  EXPECT_NEAR(spread.mean_distance, plain.distance, 1e-5);
  EXPECT_NEAR(spread.mean_square_distance, plain.square, 1e-5);
  EXPECT_NEAR(spread.mean_cosine, plain.cosine, 1e-6);
}

TEST(MeasureSpread, SumsTheEnergyOverEdges) {
  const at::Tensor state = random_tensor({30, 21}, at::kDouble, 8);
  const Graph graph = random_graph(30, 90, 5);
  double sum = 0, edges = 0;
  for (int64_t v = 0; v < 30; ++v) {
    for (int64_t e = graph.in().rowptr[v].item<int64_t>();
         e < graph.in().rowptr[v + 1].item<int64_t>(); ++e) {
      const int64_t u = graph.in().col[e].item<int64_t>();
      if (u == v) continue;
      sum += (state[u] - state[v]).square().sum().item<double>();
      ++edges;
    }
  }
  EXPECT_NEAR(measure_spread(graph, state).dirichlet_energy, sum / edges,
              1e-5 * sum / edges);
}

// Distances of 1e-3 around a mean of 100: squares of norms would cancel.
TEST(MeasureSpread, SeesSmallDistancesFarFromTheOrigin) {
  const at::Tensor near = random_tensor({50, 8}, at::kDouble, 6) * 0.125;
  const Graph graph = no_edges(50);
  const double here = measure_spread(graph, near).mean_square_distance;
  const double there = measure_spread(graph, near + 128).mean_square_distance;
  EXPECT_NEAR(there, here, 1e-3 * here);
}

TEST(MeasureSpread, SamplesPairsOfManyNodes) {
  const at::Tensor state = random_tensor({3000, 4}, at::kFloat, 9);
  const Graph graph = no_edges(3000);
  const LayerSpread spread = measure_spread(graph, state);
  const double exact =
      torch::pdist(state.to(at::kDouble)).mean().item<double>();
  EXPECT_NEAR(spread.mean_distance, exact, 0.01 * exact);
  const int threads = num_threads();
  set_num_threads(3);
  const LayerSpread again = measure_spread(graph, state);
  set_num_threads(threads);
  EXPECT_EQ(spread.mean_distance, again.mean_distance);
  EXPECT_EQ(spread.mean_square_distance, again.mean_square_distance);
  EXPECT_EQ(spread.mean_cosine, again.mean_cosine);
}

TEST(MeasureSpread, KnowsStatesThatAreAllAlike) {
  const LayerSpread alike = measure_spread(star(6), torch::ones({6, 3}));
  EXPECT_EQ(alike.mean_distance, 0);
  EXPECT_EQ(alike.dirichlet_energy, 0);
  EXPECT_TRUE(std::isnan(alike.relative_energy));
  EXPECT_NEAR(alike.mean_cosine, 1, 1e-12);
  const LayerSpread nothing = measure_spread(star(6), torch::zeros({6, 3}));
  EXPECT_TRUE(std::isnan(nothing.relative_distance));
  EXPECT_EQ(nothing.mean_cosine, 0);
}

TEST(MeasureSpread, IsNotANumberWithoutPairsOrEdges) {
  const LayerSpread one =
      measure_spread(one_node_with_loop(), torch::ones({1, 3}));
  EXPECT_NEAR(one.mean_norm, std::sqrt(3.0), 1e-12);
  EXPECT_TRUE(std::isnan(one.mean_distance));
  EXPECT_TRUE(std::isnan(one.dirichlet_energy));
  const LayerSpread apart = measure_spread(no_edges(4), torch::rand({4, 3}));
  EXPECT_GT(apart.mean_distance, 0);
  EXPECT_TRUE(std::isnan(apart.dirichlet_energy));
  EXPECT_TRUE(std::isnan(apart.relative_energy));
  EXPECT_TRUE(
      std::isnan(measure_spread(Graph(), torch::rand({0, 3})).mean_norm));
}

TEST(MeasureSpread, RefusesWhatAreNoStates) {
  const Graph graph = star(4);
  const auto error = [&](const at::Tensor& state) {
    return error_of([&] { measure_spread(graph, state); });
  };
  EXPECT_TRUE(contains(error(torch::rand({5, 2})), "[4, D]"));
  EXPECT_TRUE(contains(error(torch::ones({4, 2}, at::kLong)), "floating"));
  EXPECT_TRUE(contains(error(at::Tensor()), "[4, D]"));
  at::Tensor broken = torch::rand({4, 2});
  broken[2][1] = INFINITY;
  EXPECT_TRUE(contains(error(broken), "node 2 is not finite"));
}

}  // namespace
}  // namespace ordered_gnn::explain
