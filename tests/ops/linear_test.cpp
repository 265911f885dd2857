#include "ordered_gnn/ops/linear.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/op_checks.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

Tensors apply_linear(const Tensors& in) {
  return {linear(in[0], in[1], in[2])};
}
Tensors reference_linear(const Tensors& in) {
  return {reference::linear(in[0], in[1], in[2])};
}
Tensors apply_pair(const Tensors& in) {
  return {pair_linear(in[0], in[1], in[2], in[3])};
}
Tensors reference_pair(const Tensors& in) {
  return {reference::pair_linear(in[0], in[1], in[2], in[3])};
}

// x, weight, bias
Tensors linear_inputs(int64_t rows, int64_t in, int64_t out,
                      at::ScalarType dtype) {
  return {random_tensor({rows, in}, dtype, 71),
          random_tensor({out, in}, dtype, 72), random_tensor({out}, dtype, 73)};
}

// a, b, weight, bias
Tensors pair_inputs(int64_t rows, int64_t first, int64_t second, int64_t out,
                    at::ScalarType dtype) {
  return {random_tensor({rows, first}, dtype, 74),
          random_tensor({rows, second}, dtype, 75),
          random_tensor({out, first + second}, dtype, 76),
          random_tensor({out}, dtype, 77)};
}

TEST(Linear, MultipliesAndShiftsAsWorkedByHand) {
  const at::Tensor x = torch::tensor({{1.f, 2.f}, {3.f, 4.f}});
  const at::Tensor weight =
      torch::tensor({{1.f, -1.f}, {0.f, 2.f}, {5.f, 0.f}});
  const at::Tensor bias = torch::tensor({10.f, 20.f, 30.f});
  EXPECT_TRUE(
      torch::equal(linear(x, weight, bias),
                   torch::tensor({{9.f, 24.f, 35.f}, {9.f, 28.f, 45.f}})));
}

TEST(Linear, MatchesTheReferenceAtEveryWidthAndInstructionSet) {
  for_every_simd_level([] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches(apply_linear, reference_linear,
                       linear_inputs(9, width, 7, dtype));
        expect_matches(apply_linear, reference_linear,
                       linear_inputs(9, 7, width, dtype));
      }
    }
  });
}

TEST(Linear, MatchesTheReferenceAcrossManyRowBlocks) {
  expect_matches(apply_linear, reference_linear,
                 linear_inputs(2600, 5, 3, at::kDouble));
}

TEST(Linear, GradientsAgreeWithCentralDifferences) {
  const Tensors in = linear_inputs(4, 3, 5, at::kDouble);
  EXPECT_TRUE(gradients_match(
      apply_linear, {{"x", in[0]}, {"weight", in[1]}, {"bias", in[2]}}));
}

TEST(Linear, OutputRequiresGradOnlyWhenAnInputDoes) {
  expect_gradients_flow(apply_linear, linear_inputs(3, 2, 4, at::kFloat));
}

TEST(Linear, AnInputThatNeedsNoGradientGetsNone) {
  const Tensors in = linear_inputs(3, 2, 4, at::kFloat);
  const at::Tensor weight = in[1].clone().requires_grad_();
  const at::Tensor bias = in[2].clone().requires_grad_();
  linear(in[0], weight, bias).sum().backward();
  EXPECT_FALSE(in[0].grad().defined());
  EXPECT_TRUE(close_to(bias.grad(), torch::full({4}, 3.f)));
  EXPECT_TRUE(close_to(weight.grad(), in[0].sum(0).expand({4, 2})));
}

TEST(Linear, AcceptsInputsWithGaps) {
  expect_accepts_strided(apply_linear, linear_inputs(6, 5, 7, at::kFloat));
  Tensors in = linear_inputs(6, 5, 7, at::kFloat);
  in[0] = in[0].t().contiguous().t();
  in[1] = in[1].t().contiguous().t();
  expect_matches(apply_linear, reference_linear, in);
}

TEST(Linear, EmptyInputsGiveEmptyResults) {
  expect_matches(apply_linear, reference_linear,
                 linear_inputs(0, 3, 4, at::kFloat));
  expect_matches(apply_linear, reference_linear,
                 linear_inputs(3, 0, 4, at::kFloat));
}

TEST(Linear, IsTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(apply_linear,
                                   linear_inputs(5000, 37, 21, at::kFloat));
}

TEST(Linear, RunsInInferenceModeOnManyThreads) {
  expect_runs_in_inference_mode(apply_linear,
                                linear_inputs(2000, 5, 3, at::kFloat));
}

TEST(Linear, IsARegisteredOp) {
  for (const char* name :
       {"linear", "linear_backward", "pair_linear", "pair_linear_backward"}) {
    EXPECT_TRUE(is_registered(name)) << name;
  }
}

TEST(Linear, RefusesWrongShapesAndTypes) {
  const Tensors in = linear_inputs(3, 2, 4, at::kFloat);
  expect_error([&] { linear(torch::ones({2}), in[1], in[2]); },
               "linear: x must be [N, I], got [2]");
  expect_error(
      [&] {
        linear(torch::ones({3, 5}), in[1], in[2]);
      },
      "weight must be [O, 5] to match the input, got [4, 2]");
  expect_error([&] { linear(in[0], torch::ones({2}), in[2]); },
               "weight must be [O, 2] to match the input, got [2]");
  expect_error([&] { linear(in[0], in[1], torch::ones({3})); },
               "bias must be [4], got [3]");
  expect_error([&] { linear(in[0].to(at::kInt), in[1], in[2]); },
               "x must be float32 or float64, got Int");
  expect_error([&] { linear(in[0], in[1].to(at::kDouble), in[2]); },
               "weight is Double but the input is Float");
  expect_error([&] { linear(in[0], in[1], in[2].to(at::kDouble)); },
               "bias is Double but the input is Float");
}

TEST(PairLinear, ReadsTheTwoPartsInOrderAsWorkedByHand) {
  const at::Tensor a = torch::tensor({{1.f}, {2.f}});
  const at::Tensor b = torch::tensor({{3.f, 4.f}, {5.f, 6.f}});
  const at::Tensor weight = torch::tensor({{100.f, 10.f, 1.f}});
  const at::Tensor bias = torch::tensor({1000.f});
  EXPECT_TRUE(torch::equal(pair_linear(a, b, weight, bias),
                           torch::tensor({{1134.f}, {1256.f}})));
}

TEST(PairLinear, MatchesTheReferenceAtEveryWidthAndInstructionSet) {
  for_every_simd_level([] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        expect_matches(apply_pair, reference_pair,
                       pair_inputs(9, width, 3, 5, dtype));
        expect_matches(apply_pair, reference_pair,
                       pair_inputs(9, 3, width, width, dtype));
      }
    }
  });
}

TEST(PairLinear, GradientsAgreeWithCentralDifferences) {
  const Tensors in = pair_inputs(4, 3, 2, 5, at::kDouble);
  EXPECT_TRUE(gradients_match(
      apply_pair,
      {{"a", in[0]}, {"b", in[1]}, {"weight", in[2]}, {"bias", in[3]}}));
}

TEST(PairLinear, OutputRequiresGradOnlyWhenAnInputDoes) {
  expect_gradients_flow(apply_pair, pair_inputs(3, 2, 1, 4, at::kFloat));
}

TEST(PairLinear, AcceptsInputsWithGaps) {
  expect_accepts_strided(apply_pair, pair_inputs(6, 5, 3, 7, at::kFloat));
}

TEST(PairLinear, EmptyInputsGiveEmptyResults) {
  expect_matches(apply_pair, reference_pair,
                 pair_inputs(0, 3, 2, 4, at::kFloat));
  expect_matches(apply_pair, reference_pair,
                 pair_inputs(3, 0, 2, 4, at::kFloat));
}

TEST(PairLinear, IsTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(apply_pair,
                                   pair_inputs(5000, 21, 16, 13, at::kFloat));
}

TEST(PairLinear, RunsInInferenceModeOnManyThreads) {
  expect_runs_in_inference_mode(apply_pair,
                                pair_inputs(2000, 5, 4, 3, at::kFloat));
}

TEST(PairLinear, RefusesWrongShapesAndTypes) {
  const Tensors in = pair_inputs(3, 2, 1, 4, at::kFloat);
  const auto with = [&](size_t index, const at::Tensor& value) {
    return [&in, index, value] {
      Tensors inputs = in;
      inputs[index] = value;
      apply_pair(inputs);
    };
  };
  expect_error(with(0, torch::ones({3})), "a must be [N, A], got [3]");
  expect_error(with(1, torch::ones({3})),
               "b must be [3, B] to match a, got [3]");
  expect_error(with(1, torch::ones({2, 1})),
               "b must be [3, B] to match a, got [2, 1]");
  expect_error(with(1, torch::ones({4, 1})),
               "b must be [3, B] to match a, got [4, 1]");
  expect_error(with(1, in[1].to(at::kDouble)), "b is Double but a is Float");
  expect_error(with(2, torch::ones({4, 2})),
               "weight must be [O, 3] to match the input, got [4, 2]");
  expect_error(with(3, torch::ones({5})), "bias must be [4], got [5]");
}

}  // namespace
}  // namespace ordered_gnn
