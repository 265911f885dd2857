#include "ordered_gnn/train/metrics.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace ordered_gnn::training {
namespace {

at::Tensor longs(std::vector<int64_t> values) {
  return torch::tensor(values, at::kLong);
}

TEST(Accuracy, IsTheShareOfRightPredictions) {
  EXPECT_DOUBLE_EQ(accuracy(longs({0, 1, 2, 2}), longs({0, 1, 1, 2})), 0.75);
  EXPECT_TRUE(std::isnan(accuracy(longs({}), longs({}))));
}

TEST(MacroF1, AveragesOverTheClassesThatOccur) {
  // Class 0: TP 2 FP 1 FN 0 -> 4/5; class 1: TP 0 FP 0 FN 1 -> 0; class 2 is
  // absent and does not count.
  EXPECT_DOUBLE_EQ(macro_f1(longs({0, 0, 0}), longs({0, 0, 1}), 3),
                   (0.8 + 0.0) / 2);
  EXPECT_DOUBLE_EQ(macro_f1(longs({0, 1}), longs({0, 1}), 2), 1.0);
}

TEST(RocAuc, CountsOrderedPairsAndHalfOfTies) {
  const at::Tensor labels = longs({0, 0, 1, 1});
  EXPECT_DOUBLE_EQ(roc_auc(torch::tensor({0.1, 0.4, 0.35, 0.8}), labels), 0.75);
  EXPECT_DOUBLE_EQ(roc_auc(torch::tensor({1., 1., 1., 1.}), labels), 0.5);
  EXPECT_DOUBLE_EQ(roc_auc(torch::tensor({4., 3., 2., 1.}), labels), 0.0);
  EXPECT_TRUE(std::isnan(roc_auc(torch::tensor({1., 2.}), longs({1, 1}))));
}

TEST(RocAuc, AgreesWithCountingAllPairs) {
  at::manual_seed(5);
  const at::Tensor scores = torch::randint(0, 20, {200}).to(at::kDouble);
  const at::Tensor labels = torch::randint(0, 2, {200}, at::kLong);
  double wins = 0, pairs = 0;
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 200; ++j) {
      if (labels[i].item<int64_t>() != 1 || labels[j].item<int64_t>() != 0) {
        continue;
      }
      const double a = scores[i].item<double>(), b = scores[j].item<double>();
      wins += a > b ? 1 : a == b ? 0.5 : 0;
      ++pairs;
    }
  }
  EXPECT_NEAR(roc_auc(scores, labels), wins / pairs, 1e-12);
}

TEST(ScoreCounts, AreTheScoresOfTheNodesTheyCount) {
  const at::Tensor predicted = longs({0, 0, 0, 1, 2, 2});
  const at::Tensor labels = longs({0, 0, 1, 1, 1, 2});
  // Class 3 occurs nowhere and class 1 is predicted once.
  const std::vector<int64_t> hits = {2, 1, 1, 0};
  const std::vector<int64_t> guessed = {3, 1, 2, 0};
  const std::vector<int64_t> present = {2, 3, 1, 0};
  const Scores scores =
      score_counts({hits.data(), guessed.data(), present.data(), 4});
  EXPECT_EQ(scores.accuracy, accuracy(predicted, labels));
  EXPECT_EQ(scores.macro_f1, macro_f1(predicted, labels, 4));
  EXPECT_TRUE(std::isnan(scores.roc_auc));
  const std::vector<int64_t> none(4, 0);
  EXPECT_TRUE(std::isnan(
      score_counts({none.data(), none.data(), none.data(), 4}).accuracy));
}

TEST(ScoreNodes, NeverCountsUnlabelledNodes) {
  const at::Tensor logits =
      torch::tensor({{2., 1.}, {2., 1.}, {1., 2.}, {1., 2.}});
  const Scores scores =
      score_nodes(logits, longs({0, -1, 1, 0}), longs({0, 1, 2, 3}));
  EXPECT_DOUBLE_EQ(scores.accuracy, 2.0 / 3);
  EXPECT_FALSE(std::isnan(scores.roc_auc));
  const Scores nothing = score_nodes(logits, longs({0, -1, 1, 0}), longs({1}));
  EXPECT_TRUE(std::isnan(nothing.accuracy));
}

TEST(ScoreNodes, RocAucIsForTwoClassesOnly) {
  const Scores scores =
      score_nodes(torch::eye(3), longs({0, 1, 2}), longs({0, 1, 2}));
  EXPECT_TRUE(std::isnan(scores.roc_auc));
  EXPECT_DOUBLE_EQ(scores.macro_f1, 1.0);
}

TEST(Scores, SurviveJsonWithMissingNumbers) {
  const Scores back =
      scores_from_json(to_json(Scores{0.5, 0.25, std::nan("")}));
  EXPECT_DOUBLE_EQ(back.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(select(back, Metric::macro_f1), 0.25);
  EXPECT_TRUE(std::isnan(select(back, Metric::roc_auc)));
}

}  // namespace
}  // namespace ordered_gnn::training
