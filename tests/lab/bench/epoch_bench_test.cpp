#include "lab/bench/epoch_bench.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "lab/bench/torch_composition.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "support/datasets.h"
#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

class EpochBenchTest : public testing::Test {
 protected:
  EpochBenchTest() {
    options_.run = tiny_run();
    options_.repeats = 2;
    options_.warmup = 1;
    data_ = load_dataset(options_.run.data);
  }
  ~EpochBenchTest() override { set_num_threads(0); }

  EpochBench bench() const { return bench_epoch(data_, options_); }

  EpochBenchOptions options_;
  NodeDataset data_;
};

TEST_F(EpochBenchTest, MeasuresAllPartsUnlessAskedNotTo) {
  const EpochBench all = bench();
  EXPECT_GT(all.ms_per_epoch, 0);
  EXPECT_GT(all.ms_gemm_floor.value(), 0);
  EXPECT_GT(all.ms_own_products.value(), 0);
  EXPECT_GT(all.ms_unfused.value(), 0);
  EXPECT_GT(all.gemm_flop, 0);
  EXPECT_GT(all.base_bytes, 0);
  EXPECT_GE(all.peak_bytes, all.base_bytes);
  EXPECT_GE(all.unfused_peak_bytes.value(), all.base_bytes);
}

TEST_F(EpochBenchTest, LeavesOutWhatWasNotAskedFor) {
  options_.floor = options_.unfused = false;
  const EpochBench alone = bench();
  EXPECT_GT(alone.ms_per_epoch, 0);
  EXPECT_GT(alone.peak_bytes, 0);
  EXPECT_FALSE(alone.ms_gemm_floor.has_value());
  EXPECT_FALSE(alone.ms_own_products.has_value());
  EXPECT_FALSE(alone.ms_unfused.has_value());
  EXPECT_FALSE(alone.unfused_peak_bytes.has_value());
  EXPECT_EQ(alone.gemm_flop, 0);
  options_.floor = true;
  EXPECT_TRUE(bench().ms_gemm_floor.has_value());
  EXPECT_FALSE(bench().ms_unfused.has_value());
  options_.floor = false;
  options_.unfused = true;
  EXPECT_FALSE(bench().ms_gemm_floor.has_value());
  EXPECT_TRUE(bench().ms_unfused.has_value());
}

TEST_F(EpochBenchTest, LeavesTheThreadsOfLibTorchAsTheyWere) {
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  options_.run.execution.threads = 2;
  bench();
  EXPECT_EQ(at::get_num_threads(), 3);
  at::set_num_threads(before);
}

// Multiply-adds count twice. A map of I to O numbers takes N I O of them for
// the result and for each gradient.
class GemmFlop : public EpochBenchTest {
 protected:
  GemmFlop() {
    options_.unfused = false;
    options_.repeats = 1;
    options_.run.network.layers = 2;
    options_.run.network.hidden = 16;
    options_.run.network.chunk = 4;
    options_.run.network.mlp_layers = 2;
  }
  static constexpr double kNodes = 60;
};

TEST_F(GemmFlop, AreThoseOfTheNetworkCountedByHand) {
  // Features have no gradient; then 16 -> 16, two gates of 32 -> 4, 16 -> 3.
  const double hidden = 3 * 16 * 16 + 2 * 3 * 32 * 4;
  const double expected = 2 * kNodes * (2 * 8 * 16 + hidden + 3 * 16 * 3);
  EXPECT_EQ(bench().gemm_flop, expected);
}

TEST_F(GemmFlop, DoNotCountProductsWithSparseFeatures) {
  const double expected =
      2 * kNodes * (3 * 16 * 16 + 2 * 3 * 32 * 4 + 3 * 16 * 3);
  data_.features = NodeFeatures::identity(data_.num_nodes());
  EXPECT_EQ(bench().gemm_flop, expected);
}

TEST_F(GemmFlop, WithoutGatesLackTheirProducts) {
  options_.run.network.gating = Gating::none;
  EXPECT_EQ(bench().gemm_flop,
            2 * kNodes * (2 * 8 * 16 + 3 * 16 * 16 + 3 * 16 * 3));
}

TEST_F(GemmFlop, CountEveryGradientWhenFeaturesAreAsWideAsTheNetwork) {
  // The first two maps have the same shape, but only the second one hands a
  // gradient on.
  data_.features = NodeFeatures::dense(torch::rand({data_.num_nodes(), 16}));
  const double hidden = 3 * 16 * 16 + 2 * 3 * 32 * 4;
  EXPECT_EQ(bench().gemm_flop,
            2 * kNodes * (2 * 16 * 16 + hidden + 3 * 16 * 3));
}

TEST_F(GemmFlop, OfATransformAreOneMoreProductALayer) {
  const double paper = bench().gemm_flop;
  options_.run.network.transform = Transform::linear;
  EXPECT_EQ(bench().gemm_flop - paper, 2 * kNodes * 2 * 3 * 32 * 16);
}

TEST_F(GemmFlop, OfAnMlpHaveNoGates) {
  options_.run.model = "mlp";
  EXPECT_EQ(bench().gemm_flop,
            2 * kNodes * (2 * 8 * 16 + 3 * 16 * 16 + 3 * 16 * 3));
}

TEST_F(GemmFlop, FollowTheGatesThatAModelHas) {
  const double gates = 2 * 3 * 32 * 4;
  const double others = 2 * 8 * 16 + 3 * 16 * 16 + 3 * 16 * 3;
  options_.run.model = "gated_gnn";
  EXPECT_EQ(bench().gemm_flop, 2 * kNodes * (others + gates));
  options_.run.model = "bare_gnn";
  EXPECT_EQ(bench().gemm_flop, 2 * kNodes * others);
}

TEST_F(EpochBenchTest, AModelWithoutAFloorIsTimedAlone) {
  options_.run.model = "gcn";
  options_.unfused = false;
  const std::string message = error_of([&] { bench(); });
  EXPECT_TRUE(contains(message, "not for gcn; choose --parts epoch"))
      << message;
  options_.floor = false;
  EXPECT_GT(bench().ms_per_epoch, 0);
}

TEST_F(EpochBenchTest, TheUnfusedNetworkHasTheSwitchesOfThePaper) {
  const auto refusal = [&](auto change) {
    EpochBenchOptions other = options_;
    change(other.run);
    std::string message;
    try {
      bench_epoch(data_, other);
    } catch (const UsageError& error) {
      message = error.what();
    }
    other.unfused = false;
    EXPECT_GT(bench_epoch(data_, other).ms_per_epoch, 0);
    return message;
  };
  const std::string remedy = "choose --parts epoch,floor";
  EXPECT_TRUE(contains(
      refusal([](RunOptions& run) { run.network.gating = Gating::simple; }),
      remedy));
  EXPECT_TRUE(contains(refusal([](RunOptions& run) {
                         run.network.aggregator = Aggregator::gcn;
                       }),
                       remedy));
  EXPECT_TRUE(contains(
      refusal([](RunOptions& run) { run.network.residual = true; }), remedy));
  EXPECT_TRUE(contains(
      refusal([](RunOptions& run) { run.network.tied_gates = true; }), remedy));
  EXPECT_TRUE(
      contains(refusal([](RunOptions& run) { run.model = "mlp"; }), remedy));
}

TEST_F(EpochBenchTest, NeedsASplitToTrainOn) {
  data_.splits[0].val = torch::empty({0}, at::kLong);
  EXPECT_TRUE(contains(error_of([&] { bench(); }), "split 0"));
  data_.splits.clear();
  EXPECT_TRUE(contains(error_of([&] { bench(); }), "has no split to train on"));
}

TEST_F(EpochBenchTest, UnlabelledNodesAreLeftOutOfEveryPart) {
  data_.labels = data_.labels.clone();
  data_.labels.index_fill_(0, data_.splits[0].train.slice(0, 0, 3), -1);
  EXPECT_GT(bench().ms_unfused.value(), 0);
}

TEST_F(EpochBenchTest, TheUnfusedNetworkLearns) {
  at::manual_seed(1);
  options_.run.network.dropout_theta = options_.run.network.dropout_xi = 0;
  OrderedGnnOptions& network = options_.run.network;
  for (const Transform transform : {Transform::none, Transform::linear}) {
    for (const Norm norm : {Norm::layer, Norm::batch, Norm::none}) {
      SCOPED_TRACE(to_string(transform) + " " + to_string(norm));
      network.transform = transform;
      network.norm = network.candidate_norm = norm;
      TorchComposition composition(data_, options_.run);
      const double first = composition.step();
      double last = first;
      for (int i = 1; i < 20; ++i) last = composition.step();
      EXPECT_LT(last, 0.7 * first);
    }
  }
}

TEST_F(EpochBenchTest, ATransformAddsItsProductsToTheFloor) {
  const double before = bench().gemm_flop;
  OrderedGnnOptions& network = options_.run.network;
  network.transform = Transform::linear;
  network.norm = network.candidate_norm = Norm::batch;
  const EpochBench after = bench();
  EXPECT_GT(after.ms_unfused.value(), 0);
  // Three products of [N, 2 D] by [2 D, D] in every layer.
  const auto rows = static_cast<double>(data_.num_nodes());
  const auto width = static_cast<double>(network.hidden);
  EXPECT_DOUBLE_EQ(
      after.gemm_flop - before,
      static_cast<double>(network.layers) * 3 * 2 * rows * 2 * width * width);
}

}  // namespace
}  // namespace ordered_gnn::lab
