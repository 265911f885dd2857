// When epochs let the next step be computed along with an evaluation.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/nn/models.h"
#include "train/epochs.h"
#include "train/optimizer_groups.h"
#include "train/trainer_test.h"

namespace ordered_gnn::training {
namespace {

// Scores fall from the first epoch on.
class FallingWork : public TrainingWork {
 public:
  FallingWork(NodeModel& model, const NodeDataset& data,
              const TrainOptions& options)
      : data_(data), adam_(optimizer_groups(model, options)) {}

  double run(int64_t epoch, double /*lr*/) override {
    epoch_ = epoch;
    return 1;
  }

  // Right where the epoch is the first, else wrong.
  at::Tensor evaluate() override {
    const at::Tensor right =
        torch::one_hot(data_.labels.clamp_min(0), data_.num_classes)
            .to(torch::kFloat);
    return epoch_ == 1 ? right : -right;
  }

  at::Tensor evaluate_before(int64_t next) override {
    before.push_back(next);
    return evaluate();
  }

  Adam& optimizer() override { return adam_; }

  std::vector<int64_t> before;

 private:
  const NodeDataset& data_;
  Adam adam_;
  int64_t epoch_ = 0;
};

class HostEpochsTest : public TrainerTest {
 protected:
  std::vector<int64_t> looked_ahead(int64_t epochs) {
    const std::shared_ptr<NodeModel> model =
        create_model(options_.model,
                     {data_.features.num_features(), data_.num_classes,
                      data_.features.kind()},
                     options_.network, options_.train.seed);
    FallingWork work(*model, data_, options_.train);
    const auto run = make_host_epochs(
        {*model, work, data_, data_, /*split=*/0, options_.train});
    for (int64_t i = 0; i < epochs; ++i) run->run();
    return work.before;
  }
};

TEST_F(HostEpochsTest, LookAheadUnlessTheRunEndsOrMayEnd) {
  options_.train.epochs = 5;
  options_.train.patience = 100;
  options_.train.eval_every = 1;
  EXPECT_EQ(looked_ahead(5), (std::vector<int64_t>{2, 3, 4, 5}));
  // Epoch 4 ends the run unless it is the best one.
  options_.train.patience = 3;
  EXPECT_EQ(looked_ahead(4), (std::vector<int64_t>{2, 3, 4}));
}

// What is scored is not what the next epoch trains.
TEST_F(HostEpochsTest, DoNotLookAheadOfAveragedWeights) {
  options_.train.epochs = 4;
  options_.train.average_weights = 0.5;
  EXPECT_TRUE(looked_ahead(4).empty());
}

TEST_F(HostEpochsTest, LookAheadOfTheEpochBehindAnEvaluation) {
  options_.train.epochs = 6;
  options_.train.patience = 100;
  options_.train.eval_every = 2;
  EXPECT_EQ(looked_ahead(6), (std::vector<int64_t>{3, 5}));
}

}  // namespace
}  // namespace ordered_gnn::training
