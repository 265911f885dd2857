#include "data/layout/closest_pairs.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "support/tensors.h"

namespace ordered_gnn::data {
namespace {

// Distances of the given pairs, rising.
std::vector<double> distances(const at::Tensor& places,
                              const at::Tensor& pairs) {
  const at::Tensor between =
      places.index_select(0, pairs[0]) - places.index_select(0, pairs[1]);
  std::vector<double> out;
  for (int64_t i = 0; i < between.size(0); ++i) {
    out.push_back(between[i].norm().item<double>());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ClosestPairs, AreThoseOfASearchThroughAll) {
  const at::Tensor places = random_tensor({40, 2}, at::kDouble, 5, -3, 9);
  const at::Tensor all = torch::combinations(torch::arange(40, at::kLong)).t();
  const std::vector<double> expected = distances(places, all);
  for (const int64_t count : {1, 7, 100, 779, 780}) {
    const at::Tensor pairs = closest_pairs(places, count);
    ASSERT_EQ(pairs.size(1), count);
    EXPECT_TRUE(pairs[0].lt(pairs[1]).all().item<bool>());
    const std::vector<double> got = distances(places, pairs);
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_NEAR(got[i], expected[i], 1e-9) << count << ": " << i;
    }
  }
}

TEST(ClosestPairs, AreNeverMoreThanThereAre) {
  EXPECT_EQ(closest_pairs(torch::zeros({3, 2}, at::kDouble), 99).size(1), 3);
  EXPECT_EQ(closest_pairs(torch::zeros({1, 2}, at::kDouble), 9).size(1), 0);
  EXPECT_EQ(closest_pairs(torch::zeros({0, 2}, at::kDouble), 9).size(1), 0);
}

TEST(ClosestPairs, OfPointsAtOnePlaceTheFirstAreTaken) {
  const at::Tensor pairs =
      closest_pairs(torch::zeros({2000, 2}, at::kDouble), 3);
  EXPECT_TRUE(torch::equal(pairs, torch::tensor({{0, 0, 0}, {1, 2, 3}})));
}

}  // namespace
}  // namespace ordered_gnn::data
