// The gradient of sparse features by ranges of nodes, which large and dense
// enough lists take, against the dense reference.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ops/feature_functions.h"
#include "ops/op_checks.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "support/features.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

// Those of RangedGather: lists of at least four entries per feature and range
// are walked through by ranges.
constexpr int64_t kRangeNodes = 512;
constexpr int64_t kEntriesPerRange = 4;

// About 40 % entries; the last feature is carried in the last range alone, the
// one before by nobody.
NodeFeatures crowded_features(int64_t nodes, int64_t features) {
  at::Tensor values = random_tensor({nodes, features}, at::kFloat, 31);
  values = values.where(values.abs() < 0.4, torch::zeros({}));
  values.select(1, features - 2).zero_();
  values.select(1, features - 1).slice(0, 0, kRangeNodes * 2).zero_();
  return sparse_from(values);
}

// Exactly so many entries, spread over all nodes and features.
NodeFeatures counted_features(int64_t nodes, int64_t features,
                              int64_t entries) {
  const at::Tensor values = torch::zeros({nodes, features});
  for (int64_t e = 0; e < entries; ++e) {
    values[e * (nodes - 1) / (entries - 1)][e % features] =
        1 + 0.1 * static_cast<double>(e);
  }
  return sparse_from(values);
}

Tensors weight_and_bias(int64_t features, int64_t width, at::ScalarType dtype) {
  return {random_tensor({width, features}, dtype, 32),
          random_tensor({width}, dtype, 33)};
}

TEST(FeatureGradient, OfACrowdedListMatchesTheReference) {
  const NodeFeatures features = crowded_features(1100, 7);
  for_every_simd_level([&] {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      for (const double p : {0.0, 0.3}) {
        for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
          expect_matches(op_on(features, p), reference_on(features, p),
                         weight_and_bias(7, width, dtype));
        }
      }
    }
  });
}

TEST(FeatureGradient, HoldsOnBothSidesOfEveryBoundOfTheRanges) {
  const int64_t features = 3;
  for (const int64_t ranges : {1, 2, 3}) {
    for (const int64_t nodes :
         {(ranges - 1) * kRangeNodes + 1, ranges * kRangeNodes}) {
      // A node carries each feature once.
      const int64_t needed = kEntriesPerRange * features * ranges;
      for (const int64_t entries : {needed - 1, needed, needed + 1}) {
        if (entries > nodes) continue;
        SCOPED_TRACE(testing::Message()
                     << nodes << " nodes, " << entries << " entries");
        const NodeFeatures list = counted_features(nodes, features, entries);
        ASSERT_EQ(list.rows().col.numel(), entries);
        for (const double p : {0.0, 0.4}) {
          expect_matches(op_on(list, p), reference_on(list, p),
                         weight_and_bias(features, 21, at::kDouble));
        }
      }
    }
  }
}

TEST(FeatureGradient, IsZeroWhereEverythingIsDropped) {
  // Nearer to 1 than half a step of 2^-16.
  const double p = 1 - std::ldexp(1, -17);
  const Tensors in = weight_and_bias(7, 5, at::kFloat);
  for_every_simd_level([&] {
    const Tensors got =
        forward_and_backward(op_on(crowded_features(1100, 7), p), in);
    EXPECT_TRUE(torch::equal(got[0], in[1].expand({1100, 5})));
    EXPECT_TRUE(got[1].eq(0).all().item<bool>());
  });
}

TEST(FeatureGradient, IsTheSameBitsForAnyNumberOfThreads) {
  // More features than parts, as many, and fewer.
  for (const int64_t features : {3, 10, 41}) {
    expect_same_bits_for_any_threads(
        op_on(crowded_features(1600, features), 0.3),
        weight_and_bias(features, 21, at::kFloat));
  }
  expect_same_bits_for_any_threads(
      op_on(counted_features(1600, 5, 4 * kEntriesPerRange * 5 - 1), 0.3),
      weight_and_bias(5, 21, at::kFloat));
}

}  // namespace
}  // namespace ordered_gnn
