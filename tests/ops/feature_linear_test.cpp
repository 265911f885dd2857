#include "ordered_gnn/ops/feature_linear.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/feature_functions.h"
#include "ops/op_checks.h"
#include "support/features.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

// About two thirds zeros; some rows and columns are empty.
at::Tensor sparse_values(int64_t nodes, int64_t features) {
  const at::Tensor values = random_tensor({nodes, features}, at::kFloat, 91);
  return values.where(values.abs() < 0.33, torch::zeros({}));
}

// weight, bias
Tensors parameters(int64_t features, int64_t width, at::ScalarType dtype) {
  return {random_tensor({width, features}, dtype, 92),
          random_tensor({width}, dtype, 93)};
}

std::vector<NodeFeatures> kinds() {
  const at::Tensor values = sparse_values(14, 9);
  return {NodeFeatures::dense(values), sparse_from(values),
          NodeFeatures::identity(9)};
}

TEST(FeatureLinear, MultipliesAndShiftsAsWorkedByHand) {
  const at::Tensor values = torch::tensor({{0.f, 2.f}, {3.f, 0.f}, {0.f, 0.f}});
  const at::Tensor weight = torch::tensor({{1.f, 10.f}, {2.f, 20.f}});
  const at::Tensor bias = torch::tensor({100.f, 200.f});
  const at::Tensor expected =
      torch::tensor({{120.f, 240.f}, {103.f, 206.f}, {100.f, 200.f}});
  for (const NodeFeatures& features :
       {NodeFeatures::dense(values), sparse_from(values)}) {
    EXPECT_TRUE(torch::equal(
        feature_linear(features, weight, bias, 0, kFeatureKey), expected));
  }
  EXPECT_TRUE(torch::equal(
      feature_linear(NodeFeatures::identity(2), weight, bias, 0, kFeatureKey),
      torch::tensor({{101.f, 202.f}, {110.f, 220.f}})));
}

TEST(FeatureLinear, EveryKindWidthAndInstructionSetMatchesTheReference) {
  for_every_simd_level([] {
    for (const NodeFeatures& features : kinds()) {
      for (const int64_t width : kWidths) {
        SCOPED_TRACE(width);
        for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
          for (const double p : {0.0, 0.4}) {
            expect_matches(op_on(features, p), reference_on(features, p),
                           parameters(9, width, dtype));
          }
        }
      }
    }
  });
}

TEST(FeatureLinear, TheKindDoesNotChangeTheResultOfOneDropoutKey) {
  const at::Tensor one_hot = torch::eye(30);
  const Tensors in = parameters(30, 7, at::kDouble);
  const Tensors expected =
      forward_and_backward(op_on(NodeFeatures::dense(one_hot), 0.5), in);
  for (const NodeFeatures& features :
       {sparse_from(one_hot), NodeFeatures::identity(30)}) {
    const Tensors got = forward_and_backward(op_on(features, 0.5), in);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(close_to(got[i], expected[i])) << "result " << i;
    }
  }
}

TEST(FeatureLinear, WeightsInBothLayoutsGiveTheSame) {
  for (const NodeFeatures& features : kinds()) {
    Tensors in = parameters(9, 5, at::kFloat);
    in[0] = in[0].t().contiguous().t();
    ASSERT_FALSE(in[0].is_contiguous());
    expect_matches(op_on(features, 0.3), reference_on(features, 0.3), in);
    expect_accepts_strided(op_on(features, 0.3), in);
  }
}

TEST(FeatureLinear, GradientsAgreeWithCentralDifferences) {
  const Tensors in = parameters(9, 4, at::kDouble);
  for (const NodeFeatures& features : kinds()) {
    for (const double p : {0.0, 0.4}) {
      EXPECT_TRUE(gradients_match(op_on(features, p),
                                  {{"weight", in[0]}, {"bias", in[1]}}));
    }
  }
}

// The function is linear in the values, so that long steps are exact; values
// are stored in float.
const GradcheckOptions kLongSteps = {/*step=*/0.25, /*relative=*/1e-5,
                                     /*absolute=*/1e-6};

TEST(FeatureLinear, GradientsOfValuesAgreeWithCentralDifferences) {
  const Tensors in = parameters(9, 4, at::kDouble);
  const at::Tensor values = sparse_values(14, 9);
  const SparseRows rows = sparse_from(values).rows();
  const TensorFunction of_entries = [&](const Tensors& x) {
    const NodeFeatures features =
        NodeFeatures::sparse({rows.rowptr, rows.col, x[0].to(at::kFloat)}, 9);
    return Tensors{feature_linear(features, x[1], x[2], 0, kFeatureKey)};
  };
  EXPECT_TRUE(gradients_match(of_entries,
                              {{"value", rows.value.to(at::kDouble)},
                               {"weight", in[0]},
                               {"bias", in[1]}},
                              kLongSteps));
  const TensorFunction of_dense = [&](const Tensors& x) {
    const auto features = NodeFeatures::dense(x[0].to(at::kFloat));
    return Tensors{feature_linear(features, in[0], in[1], 0, kFeatureKey)};
  };
  EXPECT_TRUE(gradients_match(of_dense, {{"value", values.to(at::kDouble)}},
                              kLongSteps));
}

TEST(FeatureLinear, GradientsOfManyEntriesAreThoseOfDenseFeatures) {
  // More entries than are gathered at a time.
  const at::Tensor values = sparse_values(4000, 60);
  const Tensors in = parameters(60, 3, at::kDouble);
  const at::Tensor dense = values.clone().requires_grad_();
  feature_linear(NodeFeatures::dense(dense), in[0], in[1], 0, kFeatureKey)
      .pow(2)
      .sum()
      .backward();
  const SparseRows rows = sparse_from(values).rows();
  const at::Tensor entries = rows.value.clone().requires_grad_();
  ASSERT_GT(entries.numel(), int64_t{1} << 16);
  feature_linear(NodeFeatures::sparse({rows.rowptr, rows.col, entries}, 60),
                 in[0], in[1], 0, kFeatureKey)
      .pow(2)
      .sum()
      .backward();
  EXPECT_TRUE(
      close_to(entries.grad(), dense.grad().masked_select(values.ne(0))));
}

TEST(FeatureLinear, ValuesOfSparseFeaturesHaveNoGradientWithDropout) {
  const SparseRows rows = sparse_from(sparse_values(14, 9)).rows();
  const at::Tensor entries = rows.value.clone().requires_grad_();
  const NodeFeatures features =
      NodeFeatures::sparse({rows.rowptr, rows.col, entries}, 9);
  const Tensors in = parameters(9, 3, at::kFloat);
  EXPECT_THROW(feature_linear(features, in[0], in[1], 0.5, kFeatureKey),
               c10::Error);
}

TEST(FeatureLinear, HugeIdentityFeaturesAreNeverMadeDense) {
  // Dense they would take a terabyte, in forward or in backward.
  const int64_t nodes = int64_t{1} << 19;
  const NodeFeatures features = NodeFeatures::identity(nodes);
  const at::Tensor weight = torch::full({nodes, 2}, 3.f).t().requires_grad_();
  const at::Tensor bias = torch::ones({2}).requires_grad_();
  const at::Tensor y = feature_linear(features, weight, bias, 0.5, kFeatureKey);
  y.sum().backward();
  // A kept one counts as 2, so a row is 1 + 2 * 3 or the bias alone.
  const at::Tensor entries = (y.detach() - 1) / 3;
  EXPECT_TRUE(entries.eq(0).logical_or(entries.eq(2)).all().item<bool>());
  EXPECT_TRUE(torch::equal(weight.grad(), entries.t()));
  EXPECT_TRUE(weight.grad().t().is_contiguous());
}

TEST(FeatureLinear, AFeatureNobodyCarriesGetsNoGradient) {
  at::Tensor values = sparse_values(14, 9);
  values.select(1, 4).zero_();
  for (const NodeFeatures& features :
       {NodeFeatures::dense(values), sparse_from(values)}) {
    const Tensors got =
        forward_and_backward(op_on(features, 0), parameters(9, 3, at::kFloat));
    EXPECT_TRUE(got[1].select(1, 4).eq(0).all().item<bool>());
    EXPECT_FALSE(got[1].select(1, 3).eq(0).any().item<bool>());
  }
}

TEST(FeatureLinear, OutputRequiresGradOnlyWhenAParameterDoes) {
  for (const NodeFeatures& features : kinds()) {
    expect_gradients_flow(op_on(features, 0.3), parameters(9, 2, at::kFloat));
  }
}

TEST(FeatureLinear, NoNodesOrNoEntriesGiveTheBias) {
  const at::Tensor nothing = torch::zeros({3, 4});
  for (const NodeFeatures& features :
       {NodeFeatures::dense(torch::empty({0, 4})),
        sparse_from(torch::empty({0, 4})), sparse_from(nothing)}) {
    expect_matches(op_on(features, 0.3), reference_on(features, 0.3),
                   parameters(4, 5, at::kFloat));
  }
  const NodeFeatures empty = NodeFeatures::identity(0);
  expect_matches(op_on(empty, 0.3), reference_on(empty, 0.3),
                 parameters(0, 5, at::kFloat));
}

TEST(FeatureLinear, NoFeaturesGiveTheBiasForManyNodes) {
  const NodeFeatures none = sparse_from(torch::empty({2000, 0}));
  expect_matches(op_on(none, 0.3), reference_on(none, 0.3),
                 parameters(0, 5, at::kFloat));
}

TEST(FeatureLinear, IsTheSameBitsForAnyNumberOfThreads) {
  const at::Tensor values = sparse_values(3000, 40);
  for (const NodeFeatures& features :
       {NodeFeatures::dense(values), sparse_from(values)}) {
    expect_same_bits_for_any_threads(op_on(features, 0.3),
                                     parameters(40, 21, at::kFloat));
  }
  expect_same_bits_for_any_threads(op_on(NodeFeatures::identity(5000), 0.3),
                                   parameters(5000, 5, at::kFloat));
}

TEST(FeatureLinear, RunsInInferenceModeOnManyThreads) {
  const at::Tensor values = sparse_values(3000, 8);
  for (const NodeFeatures& features :
       {NodeFeatures::dense(values), sparse_from(values)}) {
    expect_runs_in_inference_mode(op_on(features, 0),
                                  parameters(8, 3, at::kFloat));
  }
}

TEST(FeatureLinear, IsARegisteredOp) {
  EXPECT_TRUE(is_registered("sparse_linear"));
  EXPECT_TRUE(is_registered("sparse_linear_backward"));
}

TEST(FeatureLinear, RefusesWrongShapesAndTypes) {
  const Tensors in = parameters(9, 4, at::kFloat);
  for (const NodeFeatures& features : kinds()) {
    const auto call = [&](const at::Tensor& weight, const at::Tensor& bias,
                          double p) {
      return [=] { feature_linear(features, weight, bias, p, kFeatureKey); };
    };
    expect_error(call(torch::ones({4, 8}), in[1], 0), ", 9] to match the ");
    expect_error(call(torch::ones({9}), in[1], 0), ", 9] to match the ");
    expect_error(call(in[0], torch::ones({3}), 0), "bias must be [4], got [3]");
    expect_error(call(in[0], in[1].to(at::kDouble), 0), "bias is Double but ");
    expect_error(call(in[0].to(at::kHalf), in[1], 0),
                 " must be float32 or float64, got Half");
    expect_error(call(in[0], in[1], 1.0), "p must be in [0, 1), got 1");
  }
}

}  // namespace
}  // namespace ordered_gnn
