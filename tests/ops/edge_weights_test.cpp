// Sums over neighbours in graphs whose edges have weights.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ops/op_checks.h"
#include "ordered_gnn/ops/drop_edges.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/propagate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

TensorFunction weighted_sums_on(const Graph& graph) {
  return [graph](const Tensors& in) {
    return Tensors{mean_aggregate(graph, in[0]), gcn_aggregate(graph, in[0]),
                   sum_aggregate(graph, in[0])};
  };
}

TensorFunction weighted_reference_on(const Graph& graph) {
  return [graph](const Tensors& in) {
    Tensors out;
    for (const at::Tensor& factor :
         {graph.factors().mean, graph.factors().symmetric, graph.weights()}) {
      out.push_back(reference::weighted_aggregate(
          graph, factor.to(in[0].scalar_type()), in[0]));
    }
    return out;
  };
}

// [N, N] float64: row v holds w_uv at the nodes u that v hears.
at::Tensor weight_matrix(const Graph& graph) {
  const at::Tensor out =
      torch::zeros({graph.num_nodes(), graph.num_nodes()}, at::kDouble);
  if (graph.num_edges() > 0) {
    out.index_put_({reference::receivers(graph), reference::senders(graph)},
                   graph.weights().to(at::kDouble));
  }
  return out;
}

TEST(EdgeWeights, AreSharesOfTheMeanAsWorkedByHand) {
  // 0 -> 2 with 1, 1 -> 2 with 3, 2 -> 0 with 0; node 1 hears nobody.
  GraphOptions options;
  options.weights = torch::tensor({1.F, 3.F, 0.F});
  const Graph graph = Graph::from_edges(3, {{0, 2}, {1, 2}, {2, 0}}, options);
  const at::Tensor h = torch::tensor({{1.F, 2.F}, {3.F, 6.F}, {5.F, 7.F}});
  EXPECT_TRUE(
      torch::equal(mean_aggregate(graph, h),
                   torch::tensor({{0.F, 0.F}, {0.F, 0.F}, {2.5F, 5.F}})));
  EXPECT_TRUE(
      torch::equal(sum_aggregate(graph, h),
                   torch::tensor({{0.F, 0.F}, {0.F, 0.F}, {10.F, 20.F}})));
  // d = 1, 1 and 4.
  EXPECT_TRUE(
      torch::allclose(gcn_aggregate(graph, h),
                      torch::tensor({{0.F, 0.F}, {0.F, 0.F}, {5.F, 10.F}})));
}

TEST(EdgeWeights, FollowTheFormulasOnEverySmallGraph) {
  for (const auto& [name, plain] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph = weighted(plain, 6);
    const at::Tensor h = random_tensor({graph.num_nodes(), 5}, at::kDouble, 3);
    const at::Tensor matrix = weight_matrix(graph);
    const at::Tensor sums = matrix.sum(1);
    const at::Tensor degree =
        torch::where(sums > 0, sums, torch::ones_like(sums));
    const at::Tensor root = degree.rsqrt().unsqueeze(1);
    // The factors of edges are float32 numbers.
    EXPECT_TRUE(torch::allclose(mean_aggregate(graph, h),
                                matrix.mm(h) / degree.unsqueeze(1), 1e-6,
                                1e-6));
    EXPECT_TRUE(torch::allclose(gcn_aggregate(graph, h),
                                root * matrix.mm(root * h), 1e-6, 1e-6));
    EXPECT_TRUE(torch::allclose(sum_aggregate(graph, h), matrix.mm(h)));
  }
}

TEST(EdgeWeights, OfOneChangeNothing) {
  for (const auto& [name, plain] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph drawn = weighted(plain, 6);
    GraphOptions options;
    options.weights = torch::ones({plain.num_edges()});
    const Graph ones = Graph::from_edges(
        plain.num_nodes(),
        torch::stack({reference::senders(drawn), reference::receivers(drawn)}),
        options);
    const at::Tensor h = random_tensor({plain.num_nodes(), 4}, at::kFloat, 3);
    EXPECT_TRUE(close_to(mean_aggregate(ones, h), mean_aggregate(plain, h)));
    EXPECT_TRUE(close_to(gcn_aggregate(ones, h), gcn_aggregate(plain, h)));
    EXPECT_TRUE(close_to(sum_aggregate(ones, h), sum_aggregate(plain, h)));
    EXPECT_TRUE(close_to(propagate(ones, h, {0.2, 3, {}}),
                         propagate(plain, h, {0.2, 3, {}})));
  }
}

TEST(EdgeWeights, MatchTheReferenceInBothPrecisions) {
  for (const auto& [name, plain] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph = weighted(plain, 8);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      expect_matches(weighted_sums_on(graph), weighted_reference_on(graph),
                     {random_tensor({graph.num_nodes(), 5}, dtype, 3)});
    }
  }
}

TEST(EdgeWeights, GradientsAgreeWithCentralDifferences) {
  for (const auto& [name, plain] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph = weighted(plain, 9);
    const std::vector<NamedTensor> h = {
        {"h", random_tensor({graph.num_nodes(), 3}, at::kDouble, 5)}};
    EXPECT_TRUE(gradients_match(weighted_sums_on(graph), h));
    for (const bool fixed : {false, true}) {
      Propagation how{0.3, 3, {}};
      if (fixed) {
        how.fixed = torch::zeros({graph.num_nodes(), 1}, at::kBool);
        how.fixed[0] = true;
      }
      EXPECT_TRUE(gradients_match(
          [&](const Tensors& in) {
            return Tensors{propagate(graph, in[0], how)};
          },
          h));
    }
  }
}

TEST(EdgeWeights, SumsFlowAreStridedAndTheSameForAnyThreads) {
  const Graph graph = weighted(random_graph(20, 80, 8), 2);
  const TensorFunction sums = weighted_sums_on(graph);
  expect_gradients_flow(sums, {random_tensor({20, 2}, at::kFloat, 1)});
  expect_accepts_strided(sums, {random_tensor({20, 7}, at::kFloat, 6)});
  expect_runs_in_inference_mode(sums, {random_tensor({20, 7}, at::kFloat, 6)});
  const Graph large = weighted(large_graph(), 3);
  expect_same_bits_for_any_threads(weighted_sums_on(large),
                                   {random_tensor({3000, 37}, at::kFloat, 7)});
}

TEST(EdgeWeights, AreNotReadByFactorsOfNodesAlone) {
  const Graph plain = random_graph(20, 80, 8);
  const at::Tensor h = random_tensor({20, 4}, at::kFloat, 3);
  EXPECT_TRUE(torch::equal(
      scaled_aggregate(weighted(plain, 2), plain.inverse_in_degree(), {}, h),
      mean_aggregate(plain, h)));
}

TEST(EdgeWeights, PropagationIsTheSumOfItsSteps) {
  const Graph graph = weighted(random_graph(12, 50, 3), 4);
  const at::Tensor start = random_tensor({12, 3}, at::kFloat, 5);
  at::Tensor z = start;
  for (int k = 0; k < 4; ++k) z = gcn_aggregate(graph, z) * 0.75 + start * 0.25;
  EXPECT_TRUE(close_to(propagate(graph, start, {0.25, 4, {}}), z));
}

TEST(EdgeWeights, OfEdgesThatAreLeftStayAndAreSummedAnew) {
  for (const auto& [name, plain] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph = weighted(plain, 5);
    const DropoutKey key{1, 2, 3};
    const Graph thinned = drop_edges(graph, 0.4, key);
    const Graph expected = drop_edges(plain, 0.4, key);
    EXPECT_TRUE(torch::equal(thinned.in().col, expected.in().col));
    EXPECT_FALSE(thinned.two_hop().weights().defined());
    // The same edges given anew with the weights they have in the whole graph.
    GraphOptions options;
    options.weights =
        weight_matrix(graph)
            .index({reference::receivers(thinned), reference::senders(thinned)})
            .to(at::kFloat);
    const Graph anew =
        Graph::from_edges(graph.num_nodes(),
                          torch::stack({reference::senders(thinned),
                                        reference::receivers(thinned)}),
                          options);
    EXPECT_TRUE(torch::equal(thinned.weights(), anew.weights()));
    EXPECT_TRUE(torch::allclose(thinned.factors().mean, anew.factors().mean));
    EXPECT_TRUE(
        torch::allclose(thinned.factors().symmetric, anew.factors().symmetric));
    EXPECT_TRUE(gradients_match(
        weighted_sums_on(thinned),
        {{"h", random_tensor({graph.num_nodes(), 2}, at::kDouble, 5)}}));
  }
}

}  // namespace
}  // namespace ordered_gnn
