#include "ordered_gnn/train/correct_smooth.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "ordered_gnn/train/trained.h"
#include "support/datasets.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {
namespace {

// 0 - 1 - 2 without an opinion, node 0 known to be of class 0.
at::Tensor path_shares(const CorrectSmoothOptions& options) {
  const Graph path = Graph::from_edges(
      3, std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 2}},
      {Direction::undirected, SelfLoops::remove});
  const KnownLabels known{torch::tensor({0}, at::kLong),
                          torch::tensor({0}, at::kLong)};
  return correct_and_smooth(path, torch::zeros({3, 2}, at::kDouble), known,
                            options)
      .softmax(1);
}

// To the least share that logits keep apart from nothing.
testing::AssertionResult are_shares(const at::Tensor& got,
                                    const at::Tensor& expected) {
  if (torch::allclose(got, expected, 0, 1e-9)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << got << " instead of " << expected;
}

at::Tensor rows_of(std::initializer_list<double> values) {
  return torch::tensor(std::vector<double>(values), at::kDouble).view({-1, 2});
}

CorrectSmoothOptions one_hop(double alpha1, double alpha2, double scale) {
  return {true, alpha1, alpha2, 1, scale};
}

TEST(CorrectSmooth, ErrorsAreSpreadWithAFixedScaleByHand) {
  // The error of node 0 is (1/2, -1/2); half of it times 1 / sqrt(2) arrives.
  const double error = 0.25 / std::sqrt(2.0);
  EXPECT_TRUE(are_shares(path_shares(one_hop(0.5, 0, 1)),
                         rows_of({1, 0, 0.5 + error, 0.5 - error, 0.5, 0.5})));
  EXPECT_TRUE(
      are_shares(path_shares(one_hop(0.5, 0, 2)),
                 rows_of({1, 0, 0.5 + 2 * error, 0.5 - 2 * error, 0.5, 0.5})));
}

TEST(CorrectSmooth, ErrorsAreMadeAsLargeAsThoseOfTrainingNodes) {
  EXPECT_TRUE(are_shares(path_shares(one_hop(0.5, 0, 0)),
                         rows_of({1, 0, 1, 0, 0.5, 0.5})));
}

TEST(CorrectSmooth, PredictionsAreSmoothedWithTheLabelsByHand) {
  const double root = 1 / std::sqrt(2.0);
  const double a = 0.5 * root * 1.5 + 0.25, b = 0.5 * root * 0.5 + 0.25;
  const at::Tensor shares = path_shares(one_hop(0, 0.5, 0));
  EXPECT_TRUE(are_shares(
      shares[1], torch::tensor({a / (a + b), b / (a + b)}, at::kDouble)));
}

class CorrectSmoothRuns : public testing::Test {
 protected:
  CorrectSmoothRuns() {
    options_.data.data =
        "synthetic:csbm?nodes=300&classes=3&features=8&degree=6&homophily=0.9"
        "&signal=0.5&splits=2&seed=1";
    data_ = load_dataset(options_.data);
    options_.model = "mlp";
    options_.correct_smooth.enabled = true;
  }

  RunResult train(const std::string& folder, bool resume = false) {
    TrainHooks hooks;
    hooks.folder = dir_ / folder;
    hooks.resume = resume;
    return train_split(data_, 1, options_, hooks);
  }

  RunOptions options_ = tiny_run();
  NodeDataset data_;
  TempDir dir_;
};

TEST_F(CorrectSmoothRuns, ReportTheScoresBeforeAndAfter) {
  const RunResult with = train("with");
  options_.correct_smooth.enabled = false;
  const RunResult without = train("without");
  EXPECT_FALSE(without.before_correct_smooth.has_value());
  ASSERT_TRUE(with.before_correct_smooth.has_value());
  EXPECT_EQ(with.best_epoch, without.best_epoch);
  EXPECT_EQ(with.before_correct_smooth->val.accuracy, without.val.accuracy);
  EXPECT_EQ(with.before_correct_smooth->test.accuracy, without.test.accuracy);
  // The graph is homophilous and an MLP has not seen it.
  EXPECT_GT(with.test.accuracy, without.test.accuracy);
  EXPECT_EQ(with.train.accuracy, 1);
}

TEST_F(CorrectSmoothRuns, AreReadBackFromTheirFiles) {
  const RunResult first = train("run");
  const RunResult again = train("run", /*resume=*/true);
  EXPECT_EQ(to_json(again), to_json(first));
  const Trained checkpoint = load_trained(first.checkpoint);
  EXPECT_TRUE(checkpoint.options.correct_smooth.enabled);
  PredictionOptions wanted;
  wanted.split = 1;
  wanted.correct_smooth = checkpoint.options.correct_smooth;
  const Scores test =
      score_nodes(predict(*checkpoint.model, data_, wanted).logits,
                  data_.labels, data_.splits[1].test);
  EXPECT_EQ(test.accuracy, first.test.accuracy);
  EXPECT_EQ(checkpoint.result.test.accuracy, first.test.accuracy);
}

TEST_F(CorrectSmoothRuns, ReadNoLabelsButThoseOfTrainingNodes) {
  const RunResult run = train("run");
  const Trained checkpoint = load_trained(run.checkpoint);
  PredictionOptions wanted;
  wanted.split = 1;
  wanted.correct_smooth.enabled = true;
  const at::Tensor logits = predict(*checkpoint.model, data_, wanted).logits;
  NodeDataset other = data_;
  other.labels = data_.labels.clone();
  for (const at::Tensor& part : {data_.splits[1].val, data_.splits[1].test}) {
    other.labels.index_fill_(0, part, 0);
  }
  EXPECT_TRUE(
      torch::equal(predict(*checkpoint.model, other, wanted).logits, logits));
}

TEST_F(CorrectSmoothRuns, TheSettingsDoNotMatterWithoutTheSwitch) {
  RunOptions plain = tiny_run(), tuned = tiny_run();
  tuned.correct_smooth.hops = 3;
  EXPECT_EQ(run_identity(plain, ""), run_identity(tuned, ""));
  tuned.correct_smooth.enabled = true;
  EXPECT_NE(run_identity(plain, ""), run_identity(tuned, ""));
}

}  // namespace
}  // namespace ordered_gnn::training
