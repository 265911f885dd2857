// Runs on the CPU whose rows are stored in bfloat16: results are close to those
// of float, and different enough to show that the option acts.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "ordered_gnn/train/trained.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/temp_dir.h"
#include "train/training_memory.h"

namespace ordered_gnn {
namespace {

struct Bf16Run {
  RunResult result;
  std::vector<double> losses;
};

class Bf16Training : public testing::Test {
 protected:
  void SetUp() override {
    options_.data.data =
        "synthetic:csbm?nodes=400&classes=3&features=24&degree=6"
        "&homophily=0.8&signal=2&splits=1&seed=3";
    options_.network.hidden = 32;
    options_.network.chunk = 4;
    options_.network.layers = 3;
    options_.network.mlp_layers = 2;
    options_.train.epochs = options_.train.patience = 25;
    options_.execution.threads = 1;
  }

  Bf16Run run(const char* math, const std::filesystem::path& folder = {}) {
    options_.execution.math = parse_math(math);
    NodeDataset data = load_dataset(options_.data);
    if (options_.network.directions == Directions::split) {
      data.graph = one_way(data.graph);
    }
    Bf16Run out;
    TrainHooks hooks;
    hooks.folder = folder;
    hooks.on_epoch = [&](const EpochReport& report) {
      out.losses.push_back(report.loss);
    };
    out.result = train_split(data, 0, options_, hooks);
    return out;
  }

  void expect_close_losses() {
    const Bf16Run exact = run("fp32"), got = run("bf16");
    ASSERT_EQ(got.losses.size(), exact.losses.size());
    for (size_t i = 0; i < got.losses.size(); ++i) {
      EXPECT_NEAR(got.losses[i], exact.losses[i], 0.1) << "epoch " << i + 1;
    }
    EXPECT_NE(got.losses.front(), exact.losses.front());
  }

  RunOptions options_;
};

TEST_F(Bf16Training, LearnsAsWell) {
  const Bf16Run exact = run("fp32"), got = run("bf16");
  EXPECT_GT(exact.result.test.accuracy, 0.7);
  EXPECT_NEAR(got.result.test.accuracy, exact.result.test.accuracy, 0.05);
  EXPECT_EQ(run("bf16").losses, got.losses);
  options_.execution.threads = 3;
  EXPECT_EQ(run("bf16").losses, got.losses);
  // What one run asks for does not stay with the next.
  options_.execution.threads = 1;
  EXPECT_EQ(run("fp32").losses, exact.losses);
}

TEST_F(Bf16Training, TakesEveryKindOfFeaturesAndModel) {
  options_.train.epochs = options_.train.patience = 6;
  expect_close_losses();
  options_.data.treatment.features = Treatment::Features::identity;
  expect_close_losses();
  options_.data.treatment.features.reset();
  options_.data.data =
      "synthetic:csbm?nodes=90&classes=3&features=400&sparse=true&density=0.02";
  expect_close_losses();
  options_.model = "mlp";
  expect_close_losses();
  options_.model = "ordered_gnn";
  options_.network.layers = 6;
  options_.train.checkpoint_layers = true;
  expect_close_losses();
}

TEST_F(Bf16Training, TakesEveryExtension) {
  options_.train.epochs = options_.train.patience = 6;
  OrderedGnnOptions& network = options_.network;
  network.transform = Transform::linear;
  for (const Norm candidate : {Norm::layer, Norm::batch, Norm::none}) {
    for (const Norm norm : {Norm::layer, Norm::batch}) {
      network.candidate_norm = candidate;
      network.norm = norm;
      SCOPED_TRACE(to_string(candidate) + " " + to_string(norm));
      expect_close_losses();
    }
  }
  network.norm = Norm::layer;
  network.candidate_norm = Norm::layer;
  for (const Gating gating : {Gating::ordered, Gating::simple, Gating::none}) {
    SCOPED_TRACE(to_string(gating));
    network.gating = gating;
    expect_close_losses();
  }
  network.gating = Gating::softor;
  for (const Aggregator aggregator : {Aggregator::gcn, Aggregator::max,
                                      Aggregator::gat, Aggregator::signed_}) {
    SCOPED_TRACE(to_string(aggregator));
    network.aggregator = aggregator;
    expect_close_losses();
  }
  network.aggregator = Aggregator::mean;
  network.residual = true;
  expect_close_losses();
  network.residual = false;
  network.directions = Directions::split;
  expect_close_losses();
  network.first_state = FirstState::heard;
  expect_close_losses();
  network.node_ids = NodeIds::adjacency;
  expect_close_losses();
}

TEST_F(Bf16Training, PredictsFromItsCheckpointInBothTypes) {
  const TempDir folder;
  run("bf16", folder.path());
  const Trained trained = load_trained(folder.path() / "model.safetensors");
  const NodeDataset data = load_dataset(options_.data);
  PredictionOptions exact, stored;
  exact.embeddings = stored.embeddings = exact.gates = stored.gates = true;
  exact.execution.math = Math::fp32;
  stored.execution.math = Math::bf16;
  const Prediction a = predict(trained, data, exact);
  const Prediction b = predict(trained, data, stored);
  EXPECT_EQ(b.logits.scalar_type(), at::kFloat);
  EXPECT_EQ(b.embeddings.scalar_type(), at::kFloat);
  EXPECT_FALSE(torch::equal(a.logits, b.logits));
  EXPECT_LT((a.probabilities - b.probabilities).abs().max().item<double>(),
            0.1);
  ASSERT_EQ(a.gates.size(), b.gates.size());
  EXPECT_LT((a.gates[0] - b.gates[0]).abs().max().item<double>(), 0.05);
}

TEST_F(Bf16Training, TakesHalfOfTheMemoryAtLeast) {
  const NodeDataset data = load_dataset(options_.data);
  const MemoryRange whole = training::training_bytes(options_, data);
  options_.execution.math = Math::bf16;
  const MemoryRange half = training::training_bytes(options_, data);
  EXPECT_EQ(half.least, whole.least / 2);
  EXPECT_EQ(half.most, whole.most);
}

}  // namespace
}  // namespace ordered_gnn
