#include "ordered_gnn/explain/hop_shares.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/random.h"
#include "ordered_gnn/explain/gate_statistics.h"
#include "support/errors.h"

namespace ordered_gnn::explain {
namespace {

std::vector<at::Tensor> splits_of(
    const std::vector<std::vector<double>>& rows) {
  std::vector<at::Tensor> out;
  for (const auto& row : rows) out.push_back(torch::tensor(row, at::kDouble));
  return out;
}

TEST(HopShares, AreHandWorkedForOneNode) {
  // P = 2, 5, 4: layer 3 writes neurons 4 to 9 and layer 1 neurons 2 and 3;
  // what layer 2 wrote is written again.
  const at::Tensor shares = hop_shares(splits_of({{2}, {5}, {4}}), 10);
  const at::Tensor expected =
      torch::tensor({{0.2, 0.2, 0.0, 0.6}}, at::kDouble);
  EXPECT_TRUE(torch::allclose(shares, expected)) << shares;
}

TEST(HopShares, CountTheOwnersOfNeurons) {
  constexpr int64_t kWidth = 9, kLayers = 5, kNodes = 200;
  RandomStream random(4);
  std::vector<at::Tensor> splits;
  for (int64_t k = 0; k < kLayers; ++k) {
    at::Tensor layer = torch::empty({kNodes}, at::kDouble);
    for (int64_t v = 0; v < kNodes; ++v) {
      layer[v] = static_cast<double>(random.below(kWidth + 1));
    }
    splits.push_back(layer);
  }
  const at::Tensor shares = hop_shares(splits, kWidth);
  for (int64_t v = 0; v < kNodes; ++v) {
    std::vector<double> owned(kLayers + 1);
    for (int64_t j = 0; j < kWidth; ++j) {
      int64_t owner = 0;
      for (int64_t k = 0; k < kLayers; ++k) {
        if (splits[k][v].item<double>() <= static_cast<double>(j)) {
          owner = k + 1;
        }
      }
      owned[owner] += 1.0 / kWidth;
    }
    for (int64_t k = 0; k <= kLayers; ++k) {
      EXPECT_NEAR(shares[v][k].item<double>(), owned[k], 1e-12)
          << v << " " << k;
    }
  }
}

TEST(HopShares, AreNotNegativeAndSumToOneForRandomGates) {
  torch::manual_seed(3);
  std::vector<at::Tensor> splits;
  for (int k = 0; k < 6; ++k) {
    splits.push_back(expected_splits(torch::rand({5000, 8}), 4));
  }
  const at::Tensor shares = hop_shares(splits, 32);
  EXPECT_EQ(shares.sizes(), at::IntArrayRef({5000, 7}));
  EXPECT_GE(shares.min().item<double>(), 0);
  EXPECT_LT((shares.sum(1) - 1).abs().max().item<double>(), 1e-12);
}

TEST(HopShares, OpenGatesLeaveAllToTheNodeAndClosedOnesToTheLastHop) {
  const std::vector<at::Tensor> open(3,
                                     expected_splits(torch::ones({4, 5}), 2));
  const std::vector<at::Tensor> closed(
      3, expected_splits(torch::zeros({4, 5}), 2));
  const at::Tensor ego = torch::tensor({1., 0., 0., 0.}, at::kDouble);
  EXPECT_TRUE(torch::equal(hop_shares(open, 10), ego.expand({4, 4})));
  EXPECT_TRUE(torch::equal(hop_shares(closed, 10), ego.flip(0).expand({4, 4})));
  EXPECT_TRUE(torch::equal(last_hop_shares(4, 3), ego.flip(0).expand({4, 4})));
}

TEST(HopShares, CutRoundingOff) {
  const at::Tensor shares = hop_shares(splits_of({{10 + 1e-7}, {-1e-7}}), 10);
  EXPECT_TRUE(torch::equal(shares, torch::tensor({{0., 0., 1.}}, at::kDouble)));
}

TEST(HopShares, RefuseWhatAreNoSplits) {
  const auto error = [](const std::vector<at::Tensor>& splits, int64_t width) {
    return error_of([&] { hop_shares(splits, width); });
  };
  EXPECT_TRUE(contains(error({}, 4), "need the splits"));
  EXPECT_TRUE(contains(error(splits_of({{1}}), 0), "not 0"));
  EXPECT_TRUE(contains(error(splits_of({{1}, {1, 2}}), 4), "layer 2"));
  EXPECT_TRUE(contains(error({torch::ones({3})}, 4), "float64"));
  EXPECT_TRUE(contains(error(splits_of({{1, 5}}), 4),
                       "node 1 in layer 1 is 5, not in [0, 4]"));
  EXPECT_TRUE(contains(error(splits_of({{NAN}}), 4), "nan"));
  EXPECT_EQ(hop_shares(splits_of({{}}), 4).size(0), 0);
}

TEST(DepthThatMatters, IsWhereTheSharesReachWhatIsAskedFor) {
  EXPECT_EQ(depth_that_matters({0.5, 0.3, 0.15, 0.05}, 0.95), 2);
  EXPECT_EQ(depth_that_matters({0.5, 0.3, 0.15, 0.05}, 0.8), 1);
  EXPECT_EQ(depth_that_matters({1, 0, 0}, 0.95), 1);
  EXPECT_EQ(depth_that_matters({0, 0, 1}, 0.95), 2);
  EXPECT_EQ(depth_that_matters({0.4, 0.4, 0.1}, 1), 2);
  EXPECT_EQ(depth_that_matters({1}, 0.95), 0);
  EXPECT_EQ(depth_that_matters({}, 0.95), 0);
}

}  // namespace
}  // namespace ordered_gnn::explain
