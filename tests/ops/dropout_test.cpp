#include "ordered_gnn/ops/dropout.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ops/op_checks.h"
#include "ordered_gnn/ops/ordered_layer.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

const DropoutKey kKey = {/*seed=*/42, /*step=*/7, /*site=*/3};

TensorFunction op_with(double p, const DropoutKey& key = kKey) {
  return [=](const Tensors& in) { return Tensors{dropout(in[0], p, key)}; };
}

TensorFunction reference_with(double p, const DropoutKey& key = kKey) {
  return [=](const Tensors& in) {
    return Tensors{reference::dropout(in[0], p, key)};
  };
}

at::Tensor kept(const DropoutKey& key, int64_t size = 4096) {
  return dropout(torch::ones({size}), 0.5, key).ne(0);
}

TEST(Dropout, KeptElementsAreScaledAndTheOthersZero) {
  const at::Tensor y = dropout(torch::full({1000}, 3.f), 0.25, kKey);
  EXPECT_TRUE(y.eq(0).logical_or(y.eq(4.f)).all().item<bool>());
  EXPECT_TRUE(y.eq(0).any().item<bool>());
  EXPECT_TRUE(y.eq(4.f).any().item<bool>());
}

TEST(Dropout, TheMaskEqualsItsDefinitionElementByElement) {
  // Sizes around the 8 elements of a Philox block and the groups of kernels.
  for_every_simd_level([] {
    for (const int64_t size : {1, 7, 8, 9, 127, 128, 129, 70001}) {
      for (const double p : {0.1, 0.5, 0.937}) {
        const at::Tensor y = dropout(torch::ones({size}), p, kKey);
        EXPECT_TRUE(
            torch::equal(y.ne(0), reference::dropout_mask({size}, p, kKey)))
            << size << " elements, p = " << p;
      }
    }
  });
}

TEST(Dropout, MatchesTheReferenceInBothTypesAndAnyShape) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    expect_matches(op_with(0.3), reference_with(0.3),
                   {random_tensor({37, 5}, dtype, 1)});
    expect_matches(op_with(0.3), reference_with(0.3),
                   {random_tensor({2, 3, 64}, dtype, 2)});
    expect_matches(op_with(0.3), reference_with(0.3),
                   {random_tensor({}, dtype, 3)});
  }
}

TEST(Dropout, KeepsTheExpectedShareAndTheMean) {
  const int64_t size = 200000;
  for (const double p : {0.1, 0.5, 0.9}) {
    const at::Tensor y = dropout(torch::ones({size}), p, kKey);
    const double share = y.ne(0).to(at::kDouble).mean().item<double>();
    // Five standard deviations of a share of independent draws.
    const double deviation = 5 * std::sqrt(p * (1 - p) / size);
    EXPECT_NEAR(share, 1 - p, deviation) << p;
    EXPECT_NEAR(y.to(at::kDouble).mean().item<double>(), 1, deviation / (1 - p))
        << p;
  }
}

TEST(Dropout, TheSameKeyGivesTheSameMaskAndAnyOtherAnother) {
  const at::Tensor mask = kept(kKey);
  EXPECT_TRUE(torch::equal(mask, kept(kKey)));
  const DropoutKey others[] = {{43, 7, 3}, {42, 8, 3}, {42, 7, 4}};
  for (const DropoutKey& other : others) {
    // Independent masks at p = 1/2 agree in about half of the places.
    const double agreement =
        mask.eq(kept(other)).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(agreement, 0.5, 0.05);
  }
}

TEST(Dropout, AMaskIsAPrefixOfTheLongerOne) {
  EXPECT_TRUE(torch::equal(kept(kKey, 100), kept(kKey, 4096).slice(0, 0, 100)));
}

TEST(Dropout, EveryInstructionSetGivesTheSameBits) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    // Odd numbers of elements: the last ones fill no vector.
    const at::Tensor x = random_tensor({3, 71, 23}, dtype, 8);
    Tensors results;
    for_every_simd_level([&] { results.push_back(dropout(x, 0.3, kKey)); });
    for (const at::Tensor& result : results) {
      EXPECT_TRUE(torch::equal(result, results[0]));
    }
  }
}

TEST(Dropout, APartGetsItsShareOfTheMaskOfTheWhole) {
  // A fused layer drops out blocks of rows that begin anywhere, not only at
  // the groups of 64 elements that share a call of the generator. A shift
  // keeps every element that is not dropped away from zero.
  const Graph graph = large_graph();
  const int64_t nodes = graph.num_nodes();
  for_every_simd_level([&] {
    for (const int64_t width : {3, 5, 37}) {
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        const auto random = [&](at::IntArrayRef sizes, uint64_t seed) {
          return random_tensor(sizes, dtype, seed);
        };
        OrderedLayerSettings settings;
        settings.dropout = 0.4;
        settings.dropout_key = kKey;
        const at::Tensor out =
            ordered_layer(
                graph,
                {random({nodes, width}, 1), torch::zeros({nodes, 1}, dtype)},
                {random({1, 2 * width}, 2), random({1}, 3),
                 torch::ones({width}, dtype), torch::full({width}, 100, dtype)},
                settings)
                .h;
        EXPECT_TRUE(torch::equal(
            out.ne(0), reference::dropout_mask({nodes, width}, 0.4, kKey)))
            << width;
      }
    }
  });
}

// Probabilities count in steps of 2^-16, to the nearest.
TEST(Dropout, AProbabilityThatRoundsToOneDropsEverything) {
  const double all = 1 - std::ldexp(1, -17);
  const double nearly_all = 1 - std::ldexp(1, -16);
  const at::Tensor x = torch::ones({1 << 18});
  for_every_simd_level([&] {
    EXPECT_TRUE(dropout(x, all, kKey).eq(0).all().item<bool>());
    // One element of 2^16 is kept, and counts for all of them.
    const at::Tensor y = dropout(x, nearly_all, kKey);
    EXPECT_TRUE(torch::equal(
        y.ne(0), reference::dropout_mask(x.sizes(), nearly_all, kKey)));
    EXPECT_EQ(y.max().item<float>(), 65536.f);
  });
}

TEST(Dropout, AProbabilityThatRoundsToZeroKeepsEverything) {
  const double p = std::ldexp(1, -18);
  const at::Tensor x = torch::ones({1000}, at::kDouble);
  EXPECT_TRUE(close_to(dropout(x, p, kKey), x / (1 - p)));
}

TEST(Dropout, BackwardUsesTheMaskOfForward) {
  const at::Tensor x = torch::ones({500}).requires_grad_();
  const at::Tensor y = dropout(x, 0.4, kKey);
  y.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), y.detach()));
}

TEST(Dropout, GradientsAgreeWithCentralDifferences) {
  EXPECT_TRUE(gradients_match(op_with(0.4),
                              {{"x", random_tensor({6, 7}, at::kDouble, 5)}}));
}

TEST(Dropout, OutputRequiresGradOnlyWhenTheInputDoes) {
  expect_gradients_flow(op_with(0.4), {random_tensor({3, 2}, at::kFloat, 1)});
}

TEST(Dropout, AcceptsInputsWithGaps) {
  expect_accepts_strided(op_with(0.4), {random_tensor({9, 5}, at::kFloat, 6)});
}

TEST(Dropout, EmptyInputsGiveEmptyResults) {
  expect_matches(op_with(0.4), reference_with(0.4), {torch::empty({0, 4})});
}

TEST(Dropout, ZeroReturnsTheSameTensor) {
  const at::Tensor x = torch::ones({3});
  EXPECT_TRUE(dropout(x, 0, kKey).is_same(x));
}

TEST(Dropout, IsTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(op_with(0.4),
                                   {random_tensor({3000, 37}, at::kFloat, 7)});
}

TEST(Dropout, IsARegisteredOp) { EXPECT_TRUE(is_registered("dropout")); }

TEST(Dropout, RefusesProbabilitiesOutOfRangeAndWrongTypes) {
  const at::Tensor x = torch::ones({3});
  for (const double p : {-0.1, 1.0, 1.5, std::nan("")}) {
    expect_error([&] { dropout(x, p, kKey); },
                 "dropout: p must be in [0, 1), got");
  }
  expect_error([&] { dropout(x.to(at::kHalf), 0.5, kKey); },
               "x must be float32 or float64, got Half");
}

}  // namespace
}  // namespace ordered_gnn
