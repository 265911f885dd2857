#include "ordered_gnn/ops/ordered_layer.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ops/op_checks.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

enum class ScaleKind { mean, gcn, sum };
constexpr ScaleKind kScaleKinds[] = {ScaleKind::mean, ScaleKind::gcn,
                                     ScaleKind::sum};
constexpr Gating kFusedGatings[] = {Gating::ordered, Gating::softor};

struct Factors {
  at::Tensor row;
  at::Tensor col;
};

Factors factors_of(const Graph& graph, ScaleKind scales) {
  if (scales == ScaleKind::sum) return {};
  if (scales == ScaleKind::mean) return {graph.inverse_in_degree(), {}};
  const at::Tensor root = graph.inverse_in_degree().sqrt();
  return {root, root};
}

OrderedLayerSettings settings_with(Gating gating, double dropout) {
  OrderedLayerSettings settings;
  settings.gating = gating;
  settings.dropout = dropout;
  settings.dropout_key = {3, 5, 2};
  return settings;
}

// Inputs are h, prev_gate, gate weight and bias, norm weight and bias; outputs
// are the state and the gate.
TensorFunction fused(const Graph& graph, ScaleKind scales,
                     const OrderedLayerSettings& settings) {
  return [=](const Tensors& in) {
    const Factors factors = factors_of(graph, scales);
    const OrderedGateResult result =
        ordered_layer(graph, {in[0], in[1], factors.row, factors.col},
                      {in[2], in[3], in[4], in[5]}, settings);
    return Tensors{result.h, result.gate};
  };
}

TensorFunction composed(const Graph& graph, ScaleKind scales,
                        const OrderedLayerSettings& settings) {
  return [=](const Tensors& in) {
    const Factors factors = factors_of(graph, scales);
    const at::Tensor m =
        scaled_aggregate(graph, factors.row, factors.col, in[0]);
    const OrderedGateResult result = reference::ordered_gate(
        settings.gating, pair_linear(in[0], m, in[2], in[3]), in[1], in[0], m);
    const at::Tensor norm =
        layer_norm(result.h, in[4], in[5], settings.norm_eps);
    return Tensors{dropout(norm, settings.dropout, settings.dropout_key),
                   result.gate};
  };
}

Tensors layer_inputs(int64_t rows, int64_t gates, int64_t width,
                     at::ScalarType dtype) {
  return {random_tensor({rows, width}, dtype, 71),
          random_tensor({rows, gates}, dtype, 72, 0, 1),
          // Logits of moderate size: a saturated softmax amplifies rounding.
          random_tensor({gates, 2 * width}, dtype, 73) /
              std::sqrt(2.0 * static_cast<double>(width)),
          random_tensor({gates}, dtype, 74),
          random_tensor({width}, dtype, 75, 0.5, 1.5),
          random_tensor({width}, dtype, 76)};
}

std::vector<NamedTensor> named(const Tensors& in) {
  return {{"h", in[0]},         {"prev_gate", in[1]},   {"gate_weight", in[2]},
          {"gate_bias", in[3]}, {"norm_weight", in[4]}, {"norm_bias", in[5]}};
}

TEST(OrderedLayer, IsTheOpsOneAfterTheOtherOnEveryGraph) {
  for (const NamedGraph& item : small_graphs()) {
    for (const ScaleKind scales : kScaleKinds) {
      for (const Gating gating : kFusedGatings) {
        SCOPED_TRACE(item.name + " " + to_string(gating));
        const OrderedLayerSettings settings = settings_with(gating, 0.4);
        expect_matches(
            fused(item.graph, scales, settings),
            composed(item.graph, scales, settings),
            layer_inputs(item.graph.num_nodes(), 3, 12, at::kDouble));
      }
    }
  }
}

TEST(OrderedLayer, IsTheSameForEveryWidthTypeAndInstructionSet) {
  const Graph graph = random_graph(300, 1500, 5);
  for_every_simd_level([&] {
    for (const int64_t width : kWidths) {
      if (width == 1) continue;  // the norm of one number is rounding noise
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        SCOPED_TRACE(width);
        const OrderedLayerSettings settings =
            settings_with(Gating::softor, 0.25);
        expect_matches(fused(graph, ScaleKind::mean, settings),
                       composed(graph, ScaleKind::mean, settings),
                       layer_inputs(300, width % 4 == 0 ? width / 4 : width,
                                    width, dtype));
      }
    }
  });
}

TEST(OrderedLayer, GradientsAgreeWithFiniteDifferences) {
  for (const Gating gating : kFusedGatings) {
    for (const ScaleKind scales : kScaleKinds) {
      const Graph graph = random_graph(7, 15, 2);
      EXPECT_TRUE(
          gradients_match(fused(graph, scales, settings_with(gating, 0.3)),
                          named(layer_inputs(7, 2, 6, at::kDouble))));
    }
  }
}

TEST(OrderedLayer, NoGateBeforeIsAGateOfZeros) {
  const Graph graph = random_graph(40, 200, 3);
  for (const Gating gating : kFusedGatings) {
    SCOPED_TRACE(to_string(gating));
    expect_absent_is_zeros(
        fused(graph, ScaleKind::mean, settings_with(gating, 0.3)),
        layer_inputs(40, 4, 16, at::kFloat), 1);
  }
}

TEST(OrderedLayer, GivesTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = large_graph();
  expect_same_bits_for_any_threads(
      fused(graph, ScaleKind::mean, settings_with(Gating::softor, 0.2)),
      layer_inputs(graph.num_nodes(), 4, 16, at::kFloat));
}

// Whole tiles of gates and the rows that blocks leave over, which are others
// with another number of threads.
TEST(OrderedLayer, GivesTheSameBitsWhereRowsAreComputedInTiles) {
  const Graph graph = random_graph(430, 2400, 5);
  for_every_simd_level([&] {
    expect_same_bits_for_any_threads(
        fused(graph, ScaleKind::mean, settings_with(Gating::softor, 0.2)),
        layer_inputs(graph.num_nodes(), 64, 256, at::kFloat));
  });
}

TEST(OrderedLayer, AcceptsStridedInputsAndInferenceMode) {
  const Graph graph = random_graph(50, 200, 4);
  const TensorFunction op =
      fused(graph, ScaleKind::gcn, settings_with(Gating::softor, 0.2));
  const Tensors inputs = layer_inputs(50, 4, 16, at::kFloat);
  expect_accepts_strided(op, inputs);
  expect_runs_in_inference_mode(op, inputs);
}

TEST(OrderedLayer, RefusesWhatDoesNotFit) {
  const Graph graph = random_graph(5, 9, 1);
  const auto call = [&](const Tensors& in, Gating gating, double dropout) {
    return [=] {
      fused(graph, ScaleKind::mean, settings_with(gating, dropout))(in);
    };
  };
  const Tensors inputs = layer_inputs(5, 2, 8, at::kFloat);
  expect_error(call(inputs, Gating::simple, 0), "ordered or softor");
  expect_error(call(inputs, Gating::softor, 1.5), "dropout");
  const auto with = [&](size_t index, const at::Tensor& value) {
    Tensors changed = inputs;
    changed[index] = value;
    return call(changed, Gating::softor, 0);
  };
  expect_error(with(1, torch::zeros({5, 3})), "prev_gate");
  expect_error(with(2, torch::zeros({2, 15})), "gate_weight");
  expect_error(with(2, torch::zeros({3, 16})), "do not divide");
  expect_error(with(3, torch::zeros({2}, at::kDouble)), "gate_bias");
  expect_error(with(4, torch::zeros({7})), "weight");
}

}  // namespace
}  // namespace ordered_gnn
