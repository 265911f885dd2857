#include "ordered_gnn/ops/scaled_aggregate.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <cmath>

#include "ops/detail/scaled_aggregate.h"
#include "ops/op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

struct Scales {
  at::Tensor row;
  at::Tensor col;
};

// Both, either and neither of the two scales.
std::vector<Scales> scale_choices(int64_t num_nodes) {
  const at::Tensor row = random_tensor({num_nodes}, at::kDouble, 31, 0.1, 2);
  const at::Tensor col = random_tensor({num_nodes}, at::kDouble, 32, 0.1, 2);
  return {{row, col}, {row, {}}, {{}, col}, {{}, {}}};
}

TensorFunction scaled_on(const Graph& graph, const Scales& scales) {
  return [=](const Tensors& in) {
    return Tensors{scaled_aggregate(graph, scales.row, scales.col, in[0])};
  };
}

TensorFunction scaled_reference_on(const Graph& graph, const Scales& scales) {
  return [=](const Tensors& in) {
    return Tensors{
        reference::scaled_aggregate(graph, scales.row, scales.col, in[0])};
  };
}

TEST(ScaledAggregate, ScalesBothEndsAsWorkedByHand) {
  const Graph graph = Graph::from_edges(3, {{0, 2}, {1, 2}, {2, 2}, {2, 0}});
  const at::Tensor row = torch::tensor({2., 3., 10.}, at::kDouble);
  const at::Tensor col = torch::tensor({1., 2., 0.5}, at::kDouble);
  const at::Tensor h = torch::tensor({{1.f}, {3.f}, {4.f}});
  // Node 2: 10 * (1*1 + 2*3 + 0.5*4); node 0: 2 * 0.5*4.
  EXPECT_TRUE(torch::equal(scaled_aggregate(graph, row, col, h),
                           torch::tensor({{4.f}, {0.f}, {90.f}})));
}

TEST(ScaledAggregate, SumAndGcnAreScalesWorkedByHand) {
  const Graph graph = Graph::from_edges(2, {{0, 1}, {1, 1}, {0, 0}});
  const at::Tensor h = torch::tensor({{2.}, {3.}}, at::kDouble);
  EXPECT_TRUE(close_to(sum_aggregate(graph, h),
                       torch::tensor({{2.}, {5.}}, at::kDouble)));
  const at::Tensor gcn =
      torch::tensor({{2.}, {2. / std::sqrt(2.) + 3. / 2.}}, at::kDouble);
  EXPECT_TRUE(close_to(gcn_aggregate(graph, h), gcn));
}

TEST(ScaledAggregate, MatchesTheReferenceOnEverySmallGraph) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    for (const Scales& scales : scale_choices(graph.num_nodes())) {
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches(scaled_on(graph, scales),
                       scaled_reference_on(graph, scales),
                       {random_tensor({graph.num_nodes(), 5}, dtype, 3)});
      }
    }
  }
}

TEST(ScaledAggregate, SumAndGcnMatchTheirReferences) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph& g = graph;
    const at::Tensor h = random_tensor({g.num_nodes(), 5}, at::kFloat, 3);
    expect_matches(
        [&](const Tensors& in) { return Tensors{sum_aggregate(g, in[0])}; },
        [&](const Tensors& in) {
          return Tensors{reference::sum_aggregate(g, in[0])};
        },
        {h});
    expect_matches(
        [&](const Tensors& in) { return Tensors{gcn_aggregate(g, in[0])}; },
        [&](const Tensors& in) {
          return Tensors{reference::gcn_aggregate(g, in[0])};
        },
        {h});
  }
}

TEST(ScaledAggregate, EveryWidthAndInstructionSetMatchesTheReference) {
  const Graph graph = random_graph(60, 500, 22);
  const Scales scales = scale_choices(60)[0];
  for_every_simd_level([&] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches(scaled_on(graph, scales),
                       scaled_reference_on(graph, scales),
                       {random_tensor({60, width}, dtype, 4)});
      }
    }
  });
}

TEST(ScaledAggregate, GradientsAgreeWithCentralDifferences) {
  const Graph graph = random_graph(13, 60, 5);
  const at::Tensor h = random_tensor({13, 3}, at::kDouble, 5);
  for (const Scales& scales : scale_choices(13)) {
    EXPECT_TRUE(gradients_match(scaled_on(graph, scales), {{"h", h}}));
  }
}

TEST(ScaledAggregate, SecondGradientsAgreeWithCentralDifferences) {
  const Graph graph = random_graph(9, 30, 6);
  const Scales scales = scale_choices(9)[0];
  const TensorFunction gradient = [&](const Tensors& in) {
    const at::AutoGradMode enable(true);
    at::Tensor h = in[0];
    if (!h.requires_grad()) h = h.detach().requires_grad_();
    const at::Tensor out =
        scaled_aggregate(graph, scales.row, scales.col, h).pow(3).sum();
    return torch::autograd::grad({out}, {h}, {}, /*retain_graph=*/true,
                                 /*create_graph=*/true);
  };
  EXPECT_TRUE(gradients_match(gradient,
                              {{"h", random_tensor({9, 2}, at::kDouble, 5)}}));
}

TEST(ScaledAggregate, OutputRequiresGradOnlyWhenTheInputDoes) {
  for (const Scales& scales : scale_choices(3)) {
    expect_gradients_flow(scaled_on(chain(3), scales),
                          {random_tensor({3, 2}, at::kFloat, 1)});
  }
}

TEST(ScaledAggregate, AcceptsInputsAndScalesWithGaps) {
  const Graph graph = random_graph(20, 80, 8);
  const Scales scales = scale_choices(20)[0];
  const Scales gaps = {strided_copy(scales.row), strided_copy(scales.col)};
  const at::Tensor h = random_tensor({20, 7}, at::kFloat, 6);
  expect_accepts_strided(scaled_on(graph, scales), {h});
  expect_matches(scaled_on(graph, gaps), scaled_reference_on(graph, scales),
                 {h});
}

TEST(ScaledAggregate, EmptyGraphsAndWidthsGiveEmptyResults) {
  expect_matches(scaled_on(Graph(), {}), scaled_reference_on(Graph(), {}),
                 {torch::empty({0, 4})});
  expect_matches(scaled_on(chain(3), {}), scaled_reference_on(chain(3), {}),
                 {torch::empty({3, 0})});
  EXPECT_TRUE(torch::equal(sum_aggregate(no_edges(3), torch::ones({3, 2})),
                           torch::zeros({3, 2})));
}

TEST(ScaledAggregate, IsTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = large_graph();
  expect_same_bits_for_any_threads(scaled_on(graph, scale_choices(3000)[0]),
                                   {random_tensor({3000, 37}, at::kFloat, 7)});
}

TEST(ScaledAggregate, TheRegisteredOpTakesWideColumns) {
  EXPECT_TRUE(is_registered("scaled_aggregate"));
  const Graph graph = random_graph(20, 80, 9);
  const Scales scales = scale_choices(20)[0];
  const TensorFunction wide = [&](const Tensors& in) {
    detail::ScaledLists lists =
        detail::scaled_lists(graph.in(), graph.out(), scales.row, scales.col);
    lists.col = lists.col.to(at::kLong);
    lists.t_col = lists.t_col.to(at::kLong);
    return Tensors{detail::scaled_aggregate({lists, in[0]})};
  };
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    expect_matches(wide, scaled_reference_on(graph, scales),
                   {random_tensor({20, 5}, dtype, 2)});
  }
}

TEST(ScaledAggregate, RefusesWrongShapesAndTypes) {
  const Graph graph = chain(3);
  const at::Tensor h = torch::ones({3, 2});
  const at::Tensor scale = torch::ones({3}, at::kDouble);
  expect_error(
      [&] {
        sum_aggregate(graph, torch::ones({2, 2}));
      },
      "h must be [3, D] to match the graph, got [2, 2]");
  expect_error(
      [&] {
        sum_aggregate(graph, torch::ones({3, 2}, at::kInt));
      },
      "h must be float32 or float64, got Int");
  expect_error(
      [&] { scaled_aggregate(graph, torch::ones({2}, at::kDouble), {}, h); },
      "row_scale must be [3], got [2]");
  expect_error([&] { scaled_aggregate(graph, scale, scale.to(at::kFloat), h); },
               "col_scale must be float64, got Float");
}

}  // namespace
}  // namespace ordered_gnn
