// Ops whose rows are stored in bfloat16, with parameters in float, against the
// same ops in double on the same rounded inputs.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/detail/layer_norm.h"
#include "ops/op_checks.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/max_aggregate.h"
#include "support/bf16_checks.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

TEST(Bf16Ops, DropoutKeepsTheSameElements) {
  for (const int64_t size : {0, 1, 7, 64, 255, 100003}) {
    SCOPED_TRACE(size);
    const at::Tensor x =
        ordered_gnn::uniform({size}, 3, 1, 2).to(at::kBFloat16).to(at::kFloat);
    const at::Tensor expected = dropout(x, 0.4, kLayerKey);
    const at::Tensor got = dropout(x.to(at::kBFloat16), 0.4, kLayerKey);
    EXPECT_EQ(got.scalar_type(), at::kBFloat16);
    EXPECT_TRUE(torch::equal(got, expected.to(at::kBFloat16)));
  }
}

TEST(Bf16Ops, Linear) { expect_linear_in_bf16(at::kCPU); }

TEST(Bf16Ops, PairsAndGates) { expect_pairs_and_gates_in_bf16(at::kCPU); }

TEST(Bf16Ops, LayerNorm) {
  expect_layer_norm_in_bf16(at::kCPU, {5, 33, 256, 300});
}

TEST(Bf16Ops, LayerNormUndoneGivesBackTheRowsToTheBit) {
  for (const int64_t width : {5, 33, 64, 300}) {
    SCOPED_TRACE(width);
    const auto rows = [&](uint64_t seed) {
      return ordered_gnn::uniform({600, width}, seed).to(at::kBFloat16);
    };
    const auto parameter = [&](uint64_t seed) {
      return ordered_gnn::uniform({width}, seed).to(at::kFloat);
    };
    const detail::LayerNormArguments norm = {
        rows(1),       parameter(2),
        parameter(3),  /*eps=*/1e-5,
        /*relu=*/true, {/*rate=*/0.3, kLayerKey}};
    const auto [y, mean, rstd] = detail::layer_norm(norm);
    const auto [grad_x, grad_weight, grad_bias, sums, again] =
        detail::layer_norm_undo({/*grad=*/rows(4),
                                 {norm, mean, rstd},
                                 /*need_parameters=*/true,
                                 /*need_out=*/true});
    EXPECT_TRUE(torch::equal(again, y));
    // Summed before each is rounded to eight bits.
    const at::Tensor stored = grad_x.to(at::kFloat);
    const at::Tensor off = (sums - stored.sum(0)).abs();
    EXPECT_TRUE((off <= stored.abs().sum(0) / 256).all().item<bool>());
    const auto [without_y, weight, bias] = detail::layer_norm_backward(
        {rows(4), norm.x, mean, rstd, norm.weight, norm.relu, norm.dropout});
    EXPECT_TRUE(torch::equal(without_y, grad_x));
    EXPECT_TRUE(torch::equal(weight, grad_weight));
    EXPECT_TRUE(torch::equal(bias, grad_bias));
  }
}

TEST(Bf16Ops, FeatureLinear) {
  expect_feature_linear_in_bf16(at::kCPU, {5, 64});
}

TEST(Bf16Ops, ScaledAggregates) {
  expect_aggregates_in_bf16(at::kCPU, {1, 5, 64, 301});
}

TEST(Bf16Ops, CrossEntropyHasALossInFloat) {
  expect_cross_entropy_in_bf16(at::kCPU, {1, 5, 40});
}

TEST(Bf16Ops, OrderedLayerOfEveryWidth) {
  // Few neighbours, whose sums are gathered again, and many.
  for (const int64_t edges : {900, 6000}) {
    expect_layers_in_bf16(
        at::kCPU, random_graph(300, edges, 5),
        {{5, 1}, {5, 5}, {33, 11}, {37, 37}, {64, 16}, {256, 64}, {300, 75}});
  }
}

TEST(Bf16Ops, OrderedLayerWithEveryInstructionSet) {
  for_every_simd_level([] {
    // As many rows as make blocks of several sizes.
    expect_layers_in_bf16(at::kCPU, random_graph(430, 2400, 5),
                          {{37, 37}, {80, 20}, {128, 32}});
  });
}

TEST(Bf16Ops, OrderedLayerInEverySetting) {
  for (const int64_t rows : {1, 7, 2000}) {
    const Graph graph = random_graph(rows, 5 * rows, 6);
    for (const bool first : {false, true}) {
      SCOPED_TRACE("rows " + std::to_string(rows) + " first " +
                   std::to_string(first));
      expect_layer_in_bf16(
          at::kCPU, graph,
          {Gating::softor, /*dropout=*/0, first, /*uses_gate=*/!first}, 64,
          256);
    }
  }
}

TEST(Bf16Ops, CandidateLayerWithEveryNorm) {
  // Few neighbours, whose sums are gathered again, and many.
  for (const int64_t edges : {900, 6000}) {
    const Graph graph = random_graph(300, edges, 5);
    for (const NormMode candidate : kEveryNorm) {
      for (const NormMode norm : kEveryNorm) {
        for (const Gating gating : {Gating::ordered, Gating::softor}) {
          CandidateCase layer;
          layer.gating = gating;
          layer.dropout = 0.25;
          layer.candidate_norm = candidate;
          layer.norm = norm;
          SCOPED_TRACE(layer.name());
          expect_candidate_in_bf16(at::kCPU, graph, layer, 16, 64);
        }
      }
    }
  }
}

TEST(Bf16Ops, CandidateLayerInEverySetting) {
  for (const int64_t rows : {1, 7, 2000}) {
    const Graph graph = random_graph(rows, 5 * rows, 6);
    for (const bool first : {false, true}) {
      for (const Gating gating : {Gating::ordered, Gating::softor}) {
        CandidateCase layer;
        layer.gating = gating;
        layer.first = first;
        layer.uses_gate = !first;
        SCOPED_TRACE(layer.name() + " rows " + std::to_string(rows));
        for (const int64_t width : {12, 36, 256}) {
          expect_candidate_in_bf16(at::kCPU, graph, layer, width / 4, width);
        }
      }
    }
  }
}

TEST(Bf16Ops, OtherOpsSayThatTheyTakeNone) {
  const Graph graph = random_graph(9, 20, 3);
  const at::Tensor h = torch::ones({9, 4}, at::kBFloat16);
  const char* const expected = "must be float32 or float64, got BFloat16";
  expect_error([&] { max_aggregate(graph, h); }, expected);
}

}  // namespace
}  // namespace ordered_gnn
