#include "ordered_gnn/ops/layer_norm.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "ops/op_checks.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

Tensors apply(const Tensors& in) { return {layer_norm(in[0], in[1], in[2])}; }
Tensors apply_reference(const Tensors& in) {
  return {reference::layer_norm(in[0], in[1], in[2])};
}

// x, weight, bias
Tensors norm_inputs(int64_t rows, int64_t width, at::ScalarType dtype) {
  return {random_tensor({rows, width}, dtype, 81, -2, 3),
          random_tensor({width}, dtype, 82), random_tensor({width}, dtype, 83)};
}

TEST(LayerNorm, NormalisesEveryRowAsWorkedByHand) {
  // Mean 2, biased variance 1; with eps = 3 the deviation counts as 2.
  const at::Tensor x = torch::tensor({{1.0, 3.0}, {3.0, 1.0}}, at::kDouble);
  const at::Tensor weight = torch::tensor({10.0, 4.0}, at::kDouble);
  const at::Tensor bias = torch::tensor({1.0, -1.0}, at::kDouble);
  EXPECT_TRUE(close_to(layer_norm(x, weight, bias, 3.0),
                       torch::tensor({{-4.0, 1.0}, {6.0, -3.0}}, at::kDouble)));
}

TEST(LayerNorm, MatchesTheReferenceAtEveryWidthAndInstructionSet) {
  for_every_simd_level([] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches(apply, apply_reference, norm_inputs(9, width, dtype));
      }
    }
  });
}

TEST(LayerNorm, MatchesTheReferenceAcrossManyRowBlocks) {
  expect_matches(apply, apply_reference, norm_inputs(1000, 5, at::kDouble));
}

TEST(LayerNorm, AConstantRowBecomesTheBias) {
  const Tensors in = norm_inputs(1, 8, at::kFloat);
  const at::Tensor y = layer_norm(torch::full({1, 8}, 3.f), in[1], in[2]);
  EXPECT_TRUE(close_to(y, in[2].unsqueeze(0)));
}

TEST(LayerNorm, GradientsAgreeWithCentralDifferences) {
  const Tensors in = norm_inputs(4, 5, at::kDouble);
  EXPECT_TRUE(gradients_match(
      apply, {{"x", in[0]}, {"weight", in[1]}, {"bias", in[2]}}));
}

TEST(LayerNorm, OutputRequiresGradOnlyWhenAnInputDoes) {
  expect_gradients_flow(apply, norm_inputs(3, 4, at::kFloat));
}

TEST(LayerNorm, AcceptsInputsWithGaps) {
  expect_accepts_strided(apply, norm_inputs(6, 7, at::kFloat));
}

TEST(LayerNorm, NoRowsGiveNoRows) {
  expect_matches(apply, apply_reference, norm_inputs(0, 4, at::kFloat));
}

TEST(LayerNorm, IsTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(apply, norm_inputs(3000, 37, at::kFloat));
}

TEST(LayerNorm, IsARegisteredOp) {
  EXPECT_TRUE(is_registered("layer_norm"));
  EXPECT_TRUE(is_registered("layer_norm_backward"));
}

TEST(LayerNorm, RefusesWrongShapesAndTypes) {
  const Tensors in = norm_inputs(3, 4, at::kFloat);
  expect_error([&] { layer_norm(torch::ones({4}), in[1], in[2]); },
               "x must be [N, D] with D at least 1, got [4]");
  expect_error(
      [&] {
        layer_norm(torch::ones({4, 0}), torch::ones({0}), torch::ones({0}));
      },
      "x must be [N, D] with D at least 1, got [4, 0]");
  expect_error([&] { layer_norm(in[0], torch::ones({3}), in[2]); },
               "weight must be [4], got [3]");
  expect_error(
      [&] {
        layer_norm(in[0], in[1], torch::ones({1, 4}));
      },
      "bias must be [4], got [1, 4]");
  expect_error([&] { layer_norm(in[0].to(at::kLong), in[1], in[2]); },
               "x must be float32 or float64, got Long");
  expect_error([&] { layer_norm(in[0], in[1].to(at::kDouble), in[2]); },
               "weight is Double but x is Float");
  expect_error([&] { layer_norm(in[0], in[1], in[2].to(at::kDouble)); },
               "bias is Double but x is Float");
}

LayerNormSettings settings_with(bool relu, double dropout) {
  LayerNormSettings settings;
  settings.eps = 1e-4;
  settings.relu = relu;
  settings.dropout = dropout;
  settings.dropout_key = {/*seed=*/3, /*step=*/8, /*site=*/5};
  return settings;
}

TensorFunction one_pass(const LayerNormSettings& settings) {
  return [=](const Tensors& in) {
    return Tensors{layer_norm(in[0], in[1], in[2], settings)};
  };
}

TensorFunction one_after_the_other(const LayerNormSettings& settings) {
  return [=](const Tensors& in) {
    const at::Tensor x = settings.relu ? in[0].relu() : in[0];
    return Tensors{
        reference::dropout(reference::layer_norm(x, in[1], in[2], settings.eps),
                           settings.dropout, settings.dropout_key)};
  };
}

std::vector<LayerNormSettings> all_settings() {
  return {settings_with(true, 0), settings_with(false, 0.3),
          settings_with(true, 0.3), settings_with(true, 0.9)};
}

TEST(LayerNormSettings, OnePassIsTheOpsOneAfterTheOther) {
  for_every_simd_level([] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const LayerNormSettings& settings : all_settings()) {
        for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
          expect_matches(one_pass(settings), one_after_the_other(settings),
                         norm_inputs(9, width, dtype));
        }
      }
    }
  });
}

TEST(LayerNormSettings, MasksGoOnAcrossRowBlocks) {
  for (const int64_t width : {1, 3, 37, 65}) {
    const LayerNormSettings settings = settings_with(true, 0.4);
    expect_matches(one_pass(settings), one_after_the_other(settings),
                   norm_inputs(1000, width, at::kDouble));
  }
}

TEST(LayerNormSettings, WithoutAnyItIsThePlainNorm) {
  const Tensors in = norm_inputs(30, 37, at::kFloat);
  const LayerNormSettings nothing;
  const Tensors got = forward_and_backward(one_pass(nothing), in);
  const Tensors expected = forward_and_backward(apply, in);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(torch::equal(got[i], expected[i])) << "result " << i;
  }
}

TEST(LayerNormSettings, ARowWithoutAPositiveNumberBecomesTheBias) {
  const Tensors in = norm_inputs(2, 8, at::kDouble);
  const at::Tensor x =
      torch::tensor({-1.0, -2.0, 0.0, -0.5, -3.0, -1.0, -0.0, -7.0},
                    at::kDouble)
          .expand({2, 8});
  const Tensors got =
      forward_and_backward(one_pass(settings_with(true, 0)), {x, in[1], in[2]});
  EXPECT_TRUE(close_to(got[0], in[2].expand({2, 8})));
  EXPECT_TRUE(got[1].eq(0).all().item<bool>());
}

TEST(LayerNormSettings, TreatsNumbersThatAreNotFiniteAsReluDoes) {
  const Tensors in = norm_inputs(3, 37, at::kFloat);
  const auto both_ways = [&](double value) {
    const at::Tensor x = in[0].clone();
    x[1][4] = x[1][36] = value;
    return std::make_pair(
        layer_norm(x, in[1], in[2], settings_with(true, 0)),
        layer_norm(x.relu(), in[1], in[2], settings_with(false, 0)));
  };
  for_every_simd_level([&] {
    const auto [got, expected] =
        both_ways(-std::numeric_limits<double>::infinity());
    EXPECT_TRUE(close_to(got, expected));
    // A diverged run must not be taken for one of zeros.
    EXPECT_TRUE(both_ways(std::nan("")).first[1].isnan().all().item<bool>());
  });
}

TEST(LayerNormSettings, GradientsAgreeWithCentralDifferences) {
  const Tensors in = norm_inputs(4, 5, at::kDouble);
  for (const LayerNormSettings& settings : all_settings()) {
    EXPECT_TRUE(
        gradients_match(one_pass(settings),
                        {{"x", in[0]}, {"weight", in[1]}, {"bias", in[2]}}));
  }
}

TEST(LayerNormSettings, AcceptsInputsWithGapsAndNoRows) {
  const LayerNormSettings settings = settings_with(true, 0.3);
  expect_accepts_strided(one_pass(settings), norm_inputs(6, 7, at::kFloat));
  expect_matches(one_pass(settings), one_after_the_other(settings),
                 norm_inputs(0, 4, at::kFloat));
}

TEST(LayerNormSettings, IsTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(one_pass(settings_with(true, 0.3)),
                                   norm_inputs(3000, 37, at::kFloat));
}

TEST(LayerNormSettings, RefusesProbabilitiesOutOfRange) {
  const Tensors in = norm_inputs(3, 4, at::kFloat);
  for (const double p : {-0.1, 1.0, 1.5, std::nan("")}) {
    expect_error(
        [&] { layer_norm(in[0], in[1], in[2], settings_with(true, p)); },
        "p must be in [0, 1), got");
  }
}

}  // namespace
}  // namespace ordered_gnn
