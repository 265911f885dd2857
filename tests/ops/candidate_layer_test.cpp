#include "ordered_gnn/ops/candidate_layer.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ops/candidate_cases.h"
#include "support/graphs.h"

namespace ordered_gnn::candidate {
namespace {

void expect_plain_values(const Graph& graph, const LayerCase& layer,
                         const Tensors& in) {
  SCOPED_TRACE(layer.name());
  expect_matches(from_named(layer, fused(graph, layer)),
                 from_named(layer, plain(graph, layer)),
                 tensors_of(named_of(layer, in)));
}

TEST(CandidateLayer, IsTheFormulaOnEveryGraphWithEveryNorm) {
  for (const NamedGraph& item : small_graphs()) {
    for (LayerCase layer : all_cases(0.4)) {
      const int64_t rows = item.graph.num_nodes();
      // Two rows put every column at plus and minus one: there is no gradient
      // but rounding.
      if (has_batch(layer) && rows < 3) continue;
      for (const bool with_scales : {true, false}) {
        layer.with_scales = with_scales;
        SCOPED_TRACE(item.name);
        expect_plain_values(item.graph, layer,
                            layer_tensors(rows, 3, 12, at::kDouble));
      }
    }
  }
}

TEST(CandidateLayer, IsTheSameForEveryWidthTypeAndInstructionSet) {
  const Graph graph = random_graph(300, 1500, 5);
  for_every_simd_level([&] {
    for (const int64_t width : kWidths) {
      if (width == 1) continue;  // the norm of one number is rounding noise
      for (const NormMode mode : {NormMode::layer, NormMode::batch}) {
        SCOPED_TRACE(width);
        const int64_t gates = width % 4 == 0 ? width / 4 : width;
        expect_plain_values(graph, {Gating::softor, mode, mode, 0.25},
                            layer_tensors(300, gates, width, at::kDouble));
      }
    }
  });
}

TEST(CandidateLayer, IsAsExactAsFloatsAllow) {
  const Graph graph = random_graph(300, 1500, 5);
  for (const LayerCase& layer : all_cases(0.25)) {
    SCOPED_TRACE(layer.name());
    const auto run = [&](const auto& of, at::ScalarType dtype) {
      const Tensors in = layer_tensors(300, 16, 64, dtype);
      return forward_and_backward(from_named(layer, of(graph, layer)),
                                  tensors_of(named_of(layer, in)));
    };
    const Tensors got = run(fused, at::kFloat);
    const Tensors expected = run(plain, at::kDouble);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      // A candidate near zero may open in one and not in the other: elements
      // differ then, the whole hardly.
      const double distance = (got[i] - expected[i]).norm().item<double>();
      EXPECT_LE(distance, 2e-5 * expected[i].norm().item<double>() + 1e-4)
          << "result " << i;
    }
  }
}

TEST(CandidateLayer, GradientsAgreeWithFiniteDifferences) {
  const Graph graph = random_graph(7, 15, 2);
  const Tensors in = layer_tensors(7, 2, 6, at::kDouble);
  for (const LayerCase& layer : all_cases(0.3)) {
    SCOPED_TRACE(layer.name());
    EXPECT_TRUE(gradients_match(from_named(layer, fused(graph, layer)),
                                named_of(layer, in)));
  }
}

TEST(CandidateLayer, KeepsTheSumsWhereNodesHaveManyNeighbours) {
  const Graph graph = random_graph(30, 900, 8);
  ASSERT_GT(graph.num_edges(), 10 * graph.num_nodes());
  for (const LayerCase& layer : all_cases(0)) {
    expect_plain_values(graph, layer, layer_tensors(30, 3, 12, at::kDouble));
  }
}

TEST(CandidateLayer, NoGateBeforeIsAGateOfZeros) {
  const Graph graph = random_graph(40, 200, 3);
  for (const Gating gating : kOrderedGatings) {
    SCOPED_TRACE(to_string(gating));
    const LayerCase layer{gating, NormMode::layer, NormMode::batch, 0.3};
    expect_absent_is_zeros(fused(graph, layer),
                           layer_tensors(40, 4, 16, at::kFloat), 1);
  }
}

TEST(CandidateLayer, GivesTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = large_graph();
  for (const NormMode mode : {NormMode::layer, NormMode::batch}) {
    SCOPED_TRACE(name_of(mode));
    expect_same_bits_for_any_threads(
        fused(graph, {Gating::softor, mode, mode, 0.2}),
        layer_tensors(graph.num_nodes(), 4, 16, at::kFloat));
  }
}

TEST(CandidateLayer, AcceptsStridedInputsAndInferenceMode) {
  const Graph graph = random_graph(50, 200, 4);
  for (const NormMode mode : {NormMode::layer, NormMode::batch}) {
    const TensorFunction op = fused(graph, {Gating::softor, mode, mode, 0.2});
    const Tensors in = layer_tensors(50, 4, 16, at::kFloat);
    expect_accepts_strided(op, in);
    expect_runs_in_inference_mode(op, in);
    expect_gradients_flow(op, in);
  }
}

TEST(CandidateLayer, OfNoRowsIsNothing) {
  const Graph graph = no_edges(0);
  Tensors in = layer_tensors(0, 2, 6, at::kFloat);
  for (at::Tensor& tensor : in) tensor.requires_grad_();
  const Tensors out = fused(graph, {})(in);
  EXPECT_EQ(out[0].sizes(), at::IntArrayRef({0, 6}));
  EXPECT_EQ(out[1].sizes(), at::IntArrayRef({0, 2}));
  (out[0].sum() + out[1].sum()).backward();
  for (const at::Tensor& tensor : in) {
    EXPECT_EQ(tensor.grad().abs().sum().item<double>(), 0);
  }
}

// Running statistics before and after a layer of batch norms.
TEST(CandidateLayer, MovesRunningStatisticsAsBatchNormDoes) {
  const Graph graph = random_graph(700, 3000, 4);
  const Tensors in = layer_tensors(700, 4, 16, at::kDouble);
  const LayerCase layer{Gating::softor, NormMode::batch, NormMode::batch, 0};
  const Running candidate = running_of(in[0], 91);
  const Running last = running_of(in[0], 93);
  const auto run = [&](NormMode mode) {
    candidate_layer(
        graph, {in[0], in[1], row_scale(graph, layer), col_scale(graph, layer)},
        {in[2], in[3], in[4], in[5], row_norm(mode, in[6], in[7], candidate),
         row_norm(mode, in[8], in[9], last)},
        settings_of(layer));
  };
  run(NormMode::fixed);
  EXPECT_TRUE(torch::equal(candidate.mean, running_of(in[0], 91).mean));
  EXPECT_TRUE(torch::equal(last.variance, running_of(in[0], 93).variance));

  const at::Tensor m = reference::scaled_aggregate(
      graph, row_scale(graph, layer), col_scale(graph, layer), in[0]);
  const at::Tensor pre = reference::pair_linear(m, in[0], in[4], in[5]);
  Running expected = running_of(in[0], 91);
  const at::Tensor c =
      at::batch_norm(pre, in[6], in[7], expected.mean, expected.variance,
                     /*training=*/true, 0.1, 1e-5, /*cudnn_enabled=*/false)
          .relu();
  Running expected_last = running_of(in[0], 93);
  at::batch_norm(
      reference::ordered_gate(layer.gating,
                              reference::pair_linear(in[0], m, in[2], in[3]),
                              in[1], in[0], c)
          .h,
      in[8], in[9], expected_last.mean, expected_last.variance,
      /*training=*/true, 0.1, 1e-5, /*cudnn_enabled=*/false);
  run(NormMode::batch);
  EXPECT_TRUE(close_to(candidate.mean, expected.mean));
  EXPECT_TRUE(close_to(candidate.variance, expected.variance));
  EXPECT_TRUE(close_to(last.mean, expected_last.mean));
  EXPECT_TRUE(close_to(last.variance, expected_last.variance));
}

TEST(CandidateLayer, KeepsStatisticsExactWhereMeansAreLarge) {
  // A variance from sums of squares would have no digit left.
  const Graph graph = no_edges(2000);
  Tensors in = layer_tensors(2000, 2, 8, at::kFloat);
  in[5] = at::full({8}, 3000.0, at::kFloat);
  LayerCase layer{Gating::softor, NormMode::batch, NormMode::none, 0};
  Tensors wide;
  for (const at::Tensor& tensor : in) wide.push_back(tensor.to(at::kDouble));
  const torch::NoGradGuard no_grad;
  const at::Tensor got = fused(graph, layer)(in)[0].to(at::kDouble);
  const at::Tensor expected = plain(graph, layer)(wide)[0];
  // Rounding of the rows themselves is 3000 * 2^-24 of a spread near one.
  EXPECT_LT((got - expected).abs().max().item<double>(), 2e-3);
}

TEST(CandidateLayer, RefusesWhatDoesNotFit) {
  const Graph graph = random_graph(5, 9, 1);
  const Tensors in = layer_tensors(5, 2, 8, at::kFloat);
  const auto call = [&](const LayerCase& layer) {
    return [&graph, &in, layer] { fused(graph, layer)(in); };
  };
  expect_error(call({Gating::simple}), "ordered or softor");
  expect_error(call({Gating::softor, NormMode::layer, NormMode::layer, 1.5}),
               "dropout");
  const auto with = [&](size_t index, const at::Tensor& value) {
    Tensors changed = in;
    changed[index] = value;
    return [&graph, changed] { fused(graph, {})(changed); };
  };
  expect_error(with(1, torch::zeros({5, 3})), "prev_gate");
  expect_error(with(2, torch::zeros({2, 15})), "gate_weight");
  expect_error(with(2, torch::zeros({3, 16})), "do not divide");
  expect_error(with(3, torch::zeros({2}, at::kDouble)), "gate_bias");
  expect_error(with(4, torch::zeros({8, 15})), "candidate_weight");
  expect_error(with(5, torch::zeros({7})), "candidate_bias");
  expect_error(with(6, torch::zeros({7})), "candidate_norm weight");
  expect_error(with(6, at::Tensor()), "needs a weight");
  expect_error(with(9, torch::zeros({8}, at::kDouble)), "norm bias");
  const auto one_row = [] {
    fused(one_node(), {Gating::softor, NormMode::batch})(
        layer_tensors(1, 2, 8, at::kFloat));
  };
  expect_error(one_row, "two rows");
}

}  // namespace
}  // namespace ordered_gnn::candidate
