#include "ordered_gnn/ops/drop_edges.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/op_checks.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "ordered_gnn/ops/weighted_aggregate.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

// [N, N], row v holds 1 at the nodes v hears.
at::Tensor dense_of(const Graph& graph) {
  const at::Tensor out = torch::zeros({graph.num_nodes(), graph.num_nodes()});
  if (graph.num_edges() > 0) {
    out.index_put_({reference::receivers(graph), reference::senders(graph)},
                   torch::ones({graph.num_edges()}));
  }
  return out;
}

TEST(DropEdges, KeepsTheEdgesOfTheDropoutMaskAndAllLoops) {
  const Graph graph = random_graph(20, 150, 4);
  const DropoutKey key{1, 2, 3};
  const Graph thinned = drop_edges(graph, 0.4, key);
  const at::Tensor kept = reference::dropout_mask({graph.num_edges()}, 0.4, key)
                              .logical_or(reference::senders(graph).eq(
                                  reference::receivers(graph)));
  EXPECT_LT(thinned.num_edges(), graph.num_edges());
  EXPECT_EQ(thinned.num_edges(), kept.sum().item<int64_t>());
  EXPECT_TRUE(torch::equal(reference::senders(thinned),
                           reference::senders(graph).masked_select(kept)));
  EXPECT_TRUE(torch::equal(reference::receivers(thinned),
                           reference::receivers(graph).masked_select(kept)));
}

TEST(DropEdges, GivesAGraphWithATransposeAndDegreesOfItsOwn) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph thinned = drop_edges(graph, 0.5, {1, 1, 1});
    const at::Tensor dense = dense_of(thinned);
    EXPECT_TRUE(
        torch::equal(thinned.inverse_in_degree(),
                     dense.sum(1).clamp_min(1).to(at::kDouble).reciprocal()));
    // Gradients run over the transpose, those of weights over edge_of_out().
    const Tensors inputs = {
        random_tensor({thinned.num_edges()}, at::kDouble, 2),
        random_tensor({thinned.num_nodes(), 3}, at::kDouble, 3)};
    EXPECT_TRUE(gradients_match(
        [&](const Tensors& in) {
          return Tensors{weighted_aggregate(thinned, in[0], in[1]),
                         gcn_aggregate(thinned, in[1])};
        },
        {{"weight", inputs[0]}, {"h", inputs[1]}}));
  }
}

TEST(DropEdges, DrawsAnewWithEveryStepAndTheSameWithOneKey) {
  const Graph graph = random_graph(30, 300, 4);
  const auto drawn = [&](int64_t seed, int64_t step) {
    return dense_of(drop_edges(graph, 0.5, {seed, step, 0}));
  };
  EXPECT_TRUE(torch::equal(drawn(1, 2), drawn(1, 2)));
  EXPECT_FALSE(torch::equal(drawn(1, 2), drawn(1, 3)));
  EXPECT_FALSE(torch::equal(drawn(1, 2), drawn(2, 2)));
}

TEST(DropEdges, TwoHopsAreThinnedOnTheirOwn) {
  const Graph graph = random_graph(30, 90, 4);
  const Graph thinned = drop_edges(graph, 0.5, {1, 2, 3});
  EXPECT_TRUE(
      torch::equal(dense_of(thinned.two_hop()),
                   dense_of(drop_edges(graph.two_hop(), 0.5, {1, 2, 4}))));
}

TEST(DropEdges, NothingToDropIsTheGraphItself) {
  const Graph graph = chain(4);
  EXPECT_TRUE(drop_edges(graph, 0, {}).in().col.is_same(graph.in().col));
  EXPECT_EQ(drop_edges(Graph(), 0.5, {}).num_nodes(), 0);
  expect_error([&] { drop_edges(graph, 1, {}); }, "must be in [0, 1)");
}

}  // namespace
}  // namespace ordered_gnn
