#include "ordered_gnn/train/metrics.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/parallel.h"
#include "train/ranked_metrics.h"

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
  EXPECT_EQ(scores.balanced_accuracy, balanced_accuracy(predicted, labels, 4));
  EXPECT_TRUE(std::isnan(scores.roc_auc));
  EXPECT_TRUE(std::isnan(scores.average_precision));
  EXPECT_TRUE(std::isnan(scores.log_loss));
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

TEST(BalancedAccuracy, AveragesTheRecallOfTheClassesThatAreThere) {
  // Class 0: 2 of 3, class 1: 0 of 1; class 2 is only guessed.
  EXPECT_DOUBLE_EQ(
      balanced_accuracy(longs({0, 0, 2, 0}), longs({0, 0, 0, 1}), 3),
      (2.0 / 3 + 0) / 2);
  EXPECT_TRUE(std::isnan(balanced_accuracy(longs({}), longs({}), 3)));
}

TEST(AveragePrecision, IsTheSumOfStepsAsWorkedByHand) {
  // From the top: hit (1/1), miss, hit (2/3), miss: (1 + 2/3) / 2.
  const at::Tensor labels = longs({0, 0, 1, 1});
  EXPECT_DOUBLE_EQ(
      average_precision(torch::tensor({0.1, 0.4, 0.35, 0.8}), labels),
      (1.0 + 2.0 / 3) / 2);
  // Ties are one step: half of the four are hits.
  EXPECT_DOUBLE_EQ(average_precision(torch::tensor({1., 1., 1., 1.}), labels),
                   0.5);
  // Misses first: 1/3 and 2/4.
  EXPECT_DOUBLE_EQ(average_precision(torch::tensor({4., 3., 2., 1.}), labels),
                   (1.0 / 3 + 2.0 / 4) / 2);
  EXPECT_TRUE(
      std::isnan(average_precision(torch::tensor({1., 2.}), longs({1, 1}))));
  EXPECT_TRUE(std::isnan(
      average_precision(torch::tensor({1., std::nan("")}), longs({0, 1}))));
}

TEST(LogLoss, IsTheMeanOfTheNegativeLogProbabilities) {
  const at::Tensor logits = torch::tensor({{0.f, std::log(3.f)}, {2.f, 2.f}});
  EXPECT_NEAR(log_loss(logits, longs({0, 1})),
              (std::log(4.0) + std::log(2.0)) / 2, 1e-7);
  EXPECT_TRUE(std::isnan(log_loss(torch::zeros({0, 2}), longs({}))));
}

TEST(ScoreNodes, RanksOneClassAgainstTheRest) {
  // By hand: class 0 is ranked without fault; class 1 has its node above one of
  // three others, level with one and below one; class 2 has its above two.
  const at::Tensor logits =
      torch::tensor({{3., 0., 0.}, {0., 1., 2.}, {0., 2., 1.}, {2., 1., 0.}});
  const at::Tensor labels = longs({0, 1, 2, 0});
  const Scores scores = score_nodes(logits, labels, longs({0, 1, 2, 3}));
  const at::Tensor p = torch::softmax(logits.to(at::kDouble), 1);
  double auc = 0, precision = 0;
  for (int64_t c = 0; c < 3; ++c) {
    const at::Tensor truth = labels.eq(c).to(at::kLong);
    auc += roc_auc(p.select(1, c), truth) / 3;
    precision += average_precision(p.select(1, c), truth) / 3;
  }
  EXPECT_NEAR(scores.roc_auc, auc, 1e-12);
  EXPECT_NEAR(scores.roc_auc, (1.0 + 1.5 / 3 + 2.0 / 3) / 3, 1e-12);
  EXPECT_NEAR(scores.average_precision, precision, 1e-12);
  EXPECT_NEAR(scores.average_precision, (1.0 + 1.0 / 3 + 0.5) / 3, 1e-12);
}

TEST(ScoreNodes, ClassesThatAreAbsentHaveNoPartInAMean) {
  const at::Tensor logits =
      torch::tensor({{3., 0., 0., 9.}, {0., 1., 2., 9.}, {0., 2., 1., 9.}});
  const Scores scores = score_nodes(logits, longs({0, 1, 1}), longs({0, 1, 2}));
  // Both classes of the labels are ranked without fault.
  EXPECT_DOUBLE_EQ(scores.roc_auc, 1.0);
  EXPECT_DOUBLE_EQ(scores.average_precision, 1.0);
  EXPECT_DOUBLE_EQ(scores.balanced_accuracy, 0.0);
  const Scores one = score_nodes(logits, longs({0, 0, 0}), longs({0, 1, 2}));
  EXPECT_TRUE(std::isnan(one.roc_auc));
  EXPECT_TRUE(std::isnan(one.average_precision));
  EXPECT_TRUE(std::isfinite(one.log_loss));
}

TEST(ScoreNodes, TwoClassesRankEitherAgainstTheOther) {
  at::manual_seed(3);
  const at::Tensor logits = torch::randn({60, 2});
  const at::Tensor labels = torch::randint(0, 2, {60}, at::kLong);
  const at::Tensor all = torch::arange(60, at::kLong);
  const Scores scores = score_nodes(logits, labels, all);
  const at::Tensor p = torch::softmax(logits.to(at::kDouble), 1);
  EXPECT_NEAR(scores.roc_auc, roc_auc(p.select(1, 1), labels), 1e-12);
  EXPECT_NEAR(scores.roc_auc, roc_auc(p.select(1, 0), 1 - labels), 1e-12);
  EXPECT_NEAR(scores.average_precision,
              (average_precision(p.select(1, 1), labels) +
               average_precision(p.select(1, 0), 1 - labels)) /
                  2,
              1e-12);
}

TEST(QuickScores, AreTheSameNumbersAndLeaveOutWhatNobodyAsksFor) {
  at::manual_seed(4);
  const at::Tensor labels = torch::randint(0, 4, {50}, at::kLong);
  const at::Tensor nodes = torch::arange(0, 50, 2, at::kLong);
  for (const int64_t classes : {4, 2}) {
    const at::Tensor truth = labels.remainder(classes);
    const at::Tensor logits = torch::randn({50, classes});
    const Scores all = score_nodes(logits, truth, nodes);
    for (const Metric metric : {Metric::accuracy, Metric::macro_f1,
                                Metric::roc_auc, Metric::balanced_accuracy,
                                Metric::average_precision, Metric::log_loss}) {
      const Scores quick = quick_scores(logits, truth, nodes, metric);
      EXPECT_EQ(value_of(quick, metric), value_of(all, metric));
      EXPECT_EQ(quick.accuracy, all.accuracy);
      EXPECT_EQ(std::isnan(quick.log_loss), metric != Metric::log_loss);
    }
    const Scores counted = quick_scores(logits, truth, nodes, Metric::accuracy);
    EXPECT_EQ(std::isnan(counted.roc_auc), classes == 4);
    EXPECT_TRUE(std::isnan(counted.average_precision));
    const Scores ranked = quick_scores(logits, truth, nodes, Metric::roc_auc);
    EXPECT_EQ(std::isnan(ranked.average_precision), classes == 2);
  }
}

// By definition, pair by pair.
training::RankedPairs pairs_by_hand(const at::Tensor& scores,
                                    const at::Tensor& truth) {
  training::RankedPairs pairs;
  for (int64_t i = 0; i < truth.numel(); ++i) {
    pairs.has_nan |= std::isnan(scores[i].item<double>());
    ++(truth[i].item<int64_t>() == 1 ? pairs.positives : pairs.negatives);
    for (int64_t j = 0; j < truth.numel(); ++j) {
      if (truth[i].item<int64_t>() != 1 || truth[j].item<int64_t>() != 0) {
        continue;
      }
      const double more = scores[i].item<double>() - scores[j].item<double>();
      pairs.twice_ordered += more > 0 ? 2 : (more == 0 ? 1 : 0);
    }
  }
  return pairs;
}

TEST(RankedPairs, GiveTheBitsOfTheRanks) {
  at::manual_seed(5);
  for (int round = 0; round < 20; ++round) {
    // Rounded, so that many scores are equal.
    const at::Tensor scores = (torch::randn({37}) * 3).round();
    const at::Tensor truth = torch::randint(0, 2, {37}, at::kLong);
    EXPECT_EQ(roc_auc_of_pairs(pairs_by_hand(scores, truth)),
              roc_auc(scores, truth));
  }
}

TEST(RankedPairs, OfOneClassOrOfNoNumberAreNoScore) {
  EXPECT_TRUE(std::isnan(
      roc_auc_of_pairs(pairs_by_hand(torch::tensor({1., 2.}), longs({1, 1})))));
  EXPECT_TRUE(std::isnan(roc_auc_of_pairs(
      pairs_by_hand(torch::tensor({1., std::nan("")}), longs({0, 1})))));
}

TEST(Select, ALowerLogLossIsBetter) {
  Scores good, bad;
  good.log_loss = 0.2;
  bad.log_loss = 0.9;
  EXPECT_GT(select(good, Metric::log_loss), select(bad, Metric::log_loss));
  EXPECT_EQ(value_of(good, Metric::log_loss), 0.2);
  EXPECT_TRUE(lower_is_better(Metric::log_loss));
  EXPECT_FALSE(lower_is_better(Metric::roc_auc));
}

TEST(Scores, SurviveJsonWithMissingNumbers) {
  Scores scores{0.5, 0.25, std::nan("")};
  scores.balanced_accuracy = 0.75;
  scores.log_loss = 1.5;
  const Scores back = scores_from_json(to_json(scores));
  EXPECT_DOUBLE_EQ(back.balanced_accuracy, 0.75);
  EXPECT_DOUBLE_EQ(back.log_loss, 1.5);
  const Scores older = scores_from_json(
      {{"accuracy", 0.5}, {"macro_f1", 0.25}, {"roc_auc", nullptr}});
  EXPECT_TRUE(std::isnan(older.log_loss));
  EXPECT_TRUE(std::isnan(older.balanced_accuracy));
  EXPECT_DOUBLE_EQ(back.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(select(back, Metric::macro_f1), 0.25);
  EXPECT_TRUE(std::isnan(select(back, Metric::roc_auc)));
}

TEST(QuickScores, ManyRowsAreScoredAlikeOnAnyNumberOfThreads) {
  torch::manual_seed(7);
  const at::Tensor logits = torch::randn({9001, 5});
  const at::Tensor labels = torch::randint(-1, 5, {9001}, at::kLong);
  const at::Tensor nodes = torch::arange(0, 9001, 2, at::kLong).flip(0);
  const at::Tensor truth = labels.index_select(0, nodes);
  const at::Tensor right =
      logits.index_select(0, nodes).argmax(1).eq(truth).sum();
  const double expected =
      right.item<double>() / truth.ge(0).sum().item<double>();
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    EXPECT_DOUBLE_EQ(
        quick_scores(logits, labels, nodes, Metric::accuracy).accuracy,
        expected)
        << threads;
  }
}

}  // namespace
}  // namespace ordered_gnn::training
