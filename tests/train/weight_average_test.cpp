#include "train/weight_average.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {
namespace {

TEST(AverageDecay, RisesToTheFactorAskedFor) {
  EXPECT_EQ(average_decay(0.9, 1), 0);
  EXPECT_DOUBLE_EQ(average_decay(0.9, 11), 0.5);
  EXPECT_DOUBLE_EQ(average_decay(0.9, 91), 0.9);
  EXPECT_DOUBLE_EQ(average_decay(0.9, 100000), 0.9);
}

class WeightAverageTest : public testing::Test {
 protected:
  WeightAverageTest() {
    options_.network.norm = Norm::batch;  // has running statistics
    options_.train.average_weights = 0.8;
    options_.train.epochs = 14;
    options_.train.patience = 14;
  }

  TensorMap trained(const std::string& name, bool resume = false,
                    int64_t stop_after = 0) {
    TrainHooks hooks;
    hooks.folder = dir_ / name;
    hooks.resume = resume;
    struct Stop {};
    hooks.on_epoch = [&](const EpochReport& report) {
      losses_.push_back(report.loss);
      if (report.epoch == stop_after) throw Stop();
    };
    try {
      result_ = train_split(data_, 0, options_, hooks);
    } catch (const Stop&) {
      return {};
    }
    return core::read_safetensors(dir_ / name / "model.safetensors").tensors;
  }

  RunOptions options_ = tiny_run();
  NodeDataset data_ = load_dataset(options_.data);
  TempDir dir_;
  RunResult result_;
  std::vector<double> losses_;
};

TEST_F(WeightAverageTest, IsTheFormulaOverTheStatesOfAModel) {
  const auto model = model_for(data_, options_, 3);
  WeightAverage average(*model, 0.4);
  TensorMap want;
  const torch::NoGradGuard no_grad;
  for (int64_t t = 1; t <= 12; ++t) {
    for (auto& [name, tensor] : named_state(*model)) {
      tensor.add_(static_cast<double>(t * t) / 7);
      const double kept = t == 1 ? 0 : std::min(0.4, (t - 1.0) / (t + 9.0));
      const at::Tensor now = tensor.to(at::kDouble) * (1 - kept);
      want[name] = t == 1 ? now : want.at(name) * kept + now;
    }
    average.update(t);
  }
  const TensorMap own = named_state(*model);
  TensorMap before;
  for (const auto& [name, tensor] : own) before[name] = tensor.clone();
  for (const auto& [name, tensor] : average.values()) {
    EXPECT_TRUE(torch::allclose(tensor.to(at::kDouble), want.at(name), 1e-5))
        << name;
  }
  average.while_in_place([&] {
    for (const auto& [name, tensor] : own) {
      EXPECT_TRUE(torch::equal(tensor, average.values().at(name))) << name;
    }
  });
  for (const auto& [name, tensor] : own) {
    EXPECT_TRUE(torch::equal(tensor, before.at(name))) << name;
  }
}

TEST_F(WeightAverageTest, TheCheckpointHasTheAveragesWithTheirScores) {
  const TensorMap averaged = trained("averaged");
  const std::vector<double> losses = losses_;
  const Trained checkpoint =
      load_trained(dir_ / "averaged" / "model.safetensors");
  EXPECT_EQ(checkpoint.options.train.average_weights, 0.8);
  const Prediction prediction = predict(*checkpoint.model, data_);
  EXPECT_DOUBLE_EQ(
      score_nodes(prediction.logits, data_.labels, data_.splits[0].test)
          .accuracy,
      result_.test.accuracy);
  losses_.clear();
  options_.train.average_weights = 0;
  const TensorMap plain = trained("plain");
  EXPECT_EQ(losses, losses_) << "training itself reads no average";
  EXPECT_FALSE(torch::equal(averaged.at("layers.0.gate.weight"),
                            plain.at("layers.0.gate.weight")));
}

TEST_F(WeightAverageTest, AStoppedRunGoesOnToTheSameBits) {
  options_.train.save_seconds = 0;
  const TensorMap whole = trained("whole");
  trained("parts", /*resume=*/false, /*stop_after=*/9);
  const auto state = dir_ / "parts" / "state.safetensors";
  EXPECT_EQ(core::read_safetensors(state).tensors.count(
                "average.layers.0.norm.running_mean"),
            1u);
  const TensorMap parts = trained("parts", /*resume=*/true);
  ASSERT_EQ(parts.size(), whole.size());
  for (const auto& [name, tensor] : whole) {
    EXPECT_TRUE(torch::equal(tensor, parts.at(name))) << name;
  }
}

TEST_F(WeightAverageTest, AStateIsOfItsOwnFactor) {
  options_.train.save_seconds = 0;
  trained("parts", /*resume=*/false, /*stop_after=*/9);
  options_.train.average_weights = 0;
  EXPECT_TRUE(contains(error_of([&] { trained("parts", /*resume=*/true); }),
                       "with other settings"));
}

TEST_F(WeightAverageTest, GivesTheSameBitsForAnyNumberOfThreads) {
  set_num_threads(1);
  const TensorMap one = trained("one");
  set_num_threads(3);
  const TensorMap three = trained("three");
  set_num_threads(0);
  for (const auto& [name, tensor] : one) {
    EXPECT_TRUE(torch::equal(tensor, three.at(name))) << name;
  }
}

TEST_F(WeightAverageTest, IsPartOfWhatARunIs) {
  EXPECT_EQ(run_identity(options_, "x").at("average-weights"), 0.8);
  options_.train.average_weights = 0;
  EXPECT_EQ(run_identity(options_, "x").count("average-weights"), 0u);
  options_.train.average_weights = 1;
  EXPECT_TRUE(
      contains(error_of([&] { validate(options_); }), "'average-weights'"));
}

}  // namespace
}  // namespace ordered_gnn::training
