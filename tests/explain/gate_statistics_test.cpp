#include "ordered_gnn/explain/gate_statistics.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "support/datasets.h"
#include "support/errors.h"

namespace ordered_gnn::explain {
namespace {

at::Tensor small_gates() {
  return torch::tensor({{1.0f, 0.75f, 0.25f},
                        {0.5f, 0.25f, 0.0f},
                        {0.25f, 0.0f, 0.0f},
                        {1.0f, 1.0f, 1.0f}});
}

TEST(SplitPoints, CountTheGatesBeforeTheFirstBelowOneHalf) {
  const at::Tensor expected = torch::tensor({2, 1, 0, 3}, at::kLong);
  EXPECT_TRUE(torch::equal(split_points(small_gates()), expected));
}

// Gates of simple gating may rise again: the first fall counts.
TEST(SplitPoints, StopAtTheFirstFall) {
  const at::Tensor gates = torch::tensor({{0.9f, 0.1f, 0.9f}});
  EXPECT_EQ(split_points(gates).item<int64_t>(), 1);
}

TEST(ExpectedSplits, SumTheGatesInNeurons) {
  const at::Tensor expected = torch::tensor({8.0, 3.0, 1.0, 12.0}, at::kDouble);
  EXPECT_TRUE(torch::allclose(expected_splits(small_gates(), 4), expected));
}

TEST(DescribeGates, GivesHandWorkedNumbers) {
  const LayerGates layer = describe_gates(small_gates(), 4);
  ASSERT_EQ(layer.gates.size(), 3u);
  const GateSummary& first = layer.gates[0];
  EXPECT_DOUBLE_EQ(first.numbers.min, 0.25);
  EXPECT_DOUBLE_EQ(first.numbers.q1, 0.4375);
  EXPECT_DOUBLE_EQ(first.numbers.median, 0.75);
  EXPECT_DOUBLE_EQ(first.numbers.q3, 1);
  EXPECT_DOUBLE_EQ(first.mean, 2.75 / 4);
  EXPECT_DOUBLE_EQ(first.saturated, 0.5);
  EXPECT_DOUBLE_EQ(layer.saturated, 4.0 / 12);
  EXPECT_DOUBLE_EQ(layer.mean_split, 4 * 6.0 / 4);
  EXPECT_DOUBLE_EQ(layer.mean_expected_split, 24.0 / 4);
}

TEST(DescribeGates, AgreesWithLibTorchOnRandomGates) {
  torch::manual_seed(5);
  const at::Tensor gates = torch::rand({1001, 7});
  const LayerGates layer = describe_gates(gates, 2);
  for (int64_t g = 0; g < 7; ++g) {
    const at::Tensor column = gates.select(1, g).to(at::kDouble);
    const GateSummary& gate = layer.gates[static_cast<size_t>(g)];
    const auto quantile = [&](double share) {
      return torch::quantile(column, share).item<double>();
    };
    EXPECT_NEAR(gate.numbers.q1, quantile(0.25), 1e-12);
    EXPECT_NEAR(gate.numbers.median, quantile(0.5), 1e-12);
    EXPECT_NEAR(gate.numbers.q3, quantile(0.75), 1e-12);
    EXPECT_EQ(gate.numbers.max, column.max().item<double>());
    EXPECT_NEAR(gate.mean, column.mean().item<double>(), 1e-12);
  }
  const double open = gates.gt(0.99).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(layer.saturated, open, 1e-12);
}

TEST(DescribeGates, TakesOtherTypesAndViews) {
  const at::Tensor wide = torch::rand({6, 50}, at::kDouble).t();
  const LayerGates a = describe_gates(wide, 1);
  const LayerGates b = describe_gates(wide.to(at::kFloat).contiguous(), 1);
  ASSERT_EQ(a.gates.size(), 6u);
  EXPECT_EQ(a.gates[3].numbers.median, b.gates[3].numbers.median);
  EXPECT_EQ(a.mean_expected_split, b.mean_expected_split);
}

TEST(DescribeGates, DoesNotDependOnTheThreads) {
  const at::Tensor gates = torch::rand({9000, 5});
  const int threads = num_threads();
  set_num_threads(1);
  const LayerGates alone = describe_gates(gates, 3);
  set_num_threads(3);
  const LayerGates together = describe_gates(gates, 3);
  set_num_threads(threads);
  EXPECT_EQ(alone.mean_expected_split, together.mean_expected_split);
  EXPECT_EQ(alone.gates[4].mean, together.gates[4].mean);
  EXPECT_EQ(alone.gates[4].numbers.q1, together.gates[4].numbers.q1);
}

TEST(DescribeGates, NamesLayerNodeAndGateOfWhatIsNotANumber) {
  const at::Tensor broken = small_gates();
  broken[2][1] = NAN;
  const std::string message = error_of([&] {
    describe_gates({small_gates(), broken}, 4);
  });
  EXPECT_TRUE(contains(message, "layer 2: gate 1 of node 2 is nan"));
  EXPECT_TRUE(contains(error_of([&] { split_points(broken); }), "node 2"));
}

TEST(DescribeGates, RefusesWhatAreNoGates) {
  const auto error = [](const at::Tensor& gates, int64_t chunk) {
    return error_of([&] { describe_gates(gates, chunk); });
  };
  EXPECT_TRUE(contains(error(torch::rand({3}), 1), "1 dimensions"));
  EXPECT_TRUE(contains(error(torch::ones({3, 2}, at::kLong), 1), "[N, G]"));
  EXPECT_TRUE(contains(error(at::Tensor(), 1), "undefined"));
  EXPECT_TRUE(contains(error(torch::rand({0, 4}), 1), "0 nodes"));
  EXPECT_TRUE(contains(error(torch::rand({4, 0}), 1), "0 gates"));
  EXPECT_TRUE(contains(error(small_gates(), 0), "at least one neuron"));
  EXPECT_TRUE(describe_gates(std::vector<at::Tensor>{}, 4).empty());
  EXPECT_EQ(split_points(torch::rand({0, 4})).numel(), 0);
}

// Softor gates never fall from layer to layer, so split points move right.
TEST(DescribeGates, FollowsTheGatesOfAModel) {
  const RunOptions options = tiny_run();
  const NodeDataset data = load_dataset(options.data);
  const auto model = model_for(data, options);
  const Prediction prediction = predict(*model, data, {false, true});
  const std::vector<LayerGates> layers =
      describe_gates(prediction.gates, options.network.chunk);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(static_cast<int64_t>(layers[0].gates.size()),
            options.network.hidden / options.network.chunk);
  EXPECT_GT(layers[1].mean_expected_split, layers[0].mean_expected_split);
  EXPECT_GE(layers[1].mean_split, layers[0].mean_split);
  EXPECT_GE(layers[0].gates.front().mean, layers[0].gates.back().mean);
}

// Of four gates, two for each direction: splits after 2 and 0, after 1 and 1.
TEST(GateStatistics, TwoOrdersHaveASplitEach) {
  const at::Tensor gates = torch::tensor(
      {{1.f, 0.9f, 0.2f, 0.1f}, {1.f, 0.3f, 0.8f, 0.4f}}, at::kFloat);
  EXPECT_DOUBLE_EQ(describe_gates(gates, 3, 2).mean_split, 3 * 2.0);
  EXPECT_DOUBLE_EQ(describe_gates(gates, 3).mean_split, 3 * 1.5);
  EXPECT_TRUE(contains(error_of([&] { describe_gates(gates, 3, 3); }),
                       "4 gates do not fall into 3 orders"));
}

}  // namespace
}  // namespace ordered_gnn::explain
