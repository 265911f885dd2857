// What training gives: scores, the best epoch, metrics, refusals.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <fstream>
#include <limits>

#include "core/io/file.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"
#include "support/errors.h"
#include "train/checkpoint.h"
#include "train/trainer_test.h"

namespace ordered_gnn::training {
namespace {

TEST_F(TrainerTest, TrainsSavesLoadsAndPredictsTheReportedScores) {
  options_.train.epochs = 60;
  options_.train.patience = 60;
  const RunResult result = train_split(data_, 1, options_, hooks("run"));
  EXPECT_EQ(result.split, 1);
  EXPECT_GT(result.train.accuracy, 0.7);
  Trained checkpoint = load_trained(result.checkpoint);
  const Prediction prediction = predict(*checkpoint.model, data_);
  const Scores test =
      score_nodes(prediction.logits, data_.labels, data_.splits[1].test);
  EXPECT_DOUBLE_EQ(test.accuracy, result.test.accuracy);
  EXPECT_EQ(checkpoint.result.best_epoch, result.best_epoch);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "run" / "state.safetensors"));
}

TEST_F(TrainerTest, TheSameSeedGivesTheSameBitsForAnyNumberOfThreads) {
  set_num_threads(1);
  train_split(data_, 0, options_, hooks("one"));
  set_num_threads(2);
  train_split(data_, 0, options_, hooks("two"));
  set_num_threads(0);
  expect_same_bits(saved("one"), saved("two"));
  options_.train.seed = 43;
  train_split(data_, 0, options_, hooks("other"));
  EXPECT_FALSE(torch::equal(saved("one").at("output.weight"),
                            saved("other").at("output.weight")));
}

TEST_F(TrainerTest, StopsWhenPatienceEndsAndKeepsTheFirstBestEpoch) {
  options_.train.epochs = 500;
  options_.train.patience = 7;
  std::vector<double> scores;
  TrainHooks watching;
  watching.on_epoch = [&](const EpochReport& report) {
    scores.push_back(report.val.accuracy);
  };
  const RunResult result = train_split(data_, 0, options_, watching);
  ASSERT_EQ(static_cast<int64_t>(scores.size()), result.epochs);
  EXPECT_EQ(result.epochs, result.best_epoch + 7);
  const auto first_best = std::max_element(scores.begin(), scores.end());
  EXPECT_EQ(first_best - scores.begin() + 1, result.best_epoch);
}

TEST_F(TrainerTest, ADivergingRunStopsWithAnExplanation) {
  // Finite features whose sums overflow.
  data_.features =
      NodeFeatures::dense(torch::full({data_.num_nodes(), 8}, 3e38));
  const std::string message =
      error_of([&] { train_split(data_, 0, options_); });
  EXPECT_TRUE(contains(message, "the loss became")) << message;
  EXPECT_TRUE(contains(message, "--lr")) << message;
}

TEST_F(TrainerTest, FrozenInputNormsStayAtOneAndZero) {
  train_split(data_, 0, options_, hooks("frozen"));
  EXPECT_TRUE(torch::equal(saved("frozen").at("input_norm.0.weight"),
                           torch::ones({16})));
  options_.train.input_norm = InputNorm::no_decay;
  train_split(data_, 0, options_, hooks("free"));
  EXPECT_FALSE(
      torch::equal(saved("free").at("input_norm.0.weight"), torch::ones({16})));
}

TEST_F(TrainerTest, InputNormsWithDecayDifferFromThoseWithout) {
  options_.train.l2_theta = 0.5;
  options_.train.input_norm = InputNorm::no_decay;
  train_split(data_, 0, options_, hooks("no_decay"));
  options_.train.input_norm = InputNorm::decay;
  train_split(data_, 0, options_, hooks("decay"));
  EXPECT_FALSE(torch::equal(saved("no_decay").at("input_norm.0.weight"),
                            saved("decay").at("input_norm.0.weight")));
}

TEST_F(TrainerTest, MetricsHaveOneLinePerEpoch) {
  train_split(data_, 0, options_, hooks("run"));
  std::ifstream in(dir_ / "run" / "metrics.jsonl");
  int64_t epoch = 0;
  for (std::string line; std::getline(in, line);) {
    const Json entry = Json::parse(line);
    EXPECT_EQ(entry.at("epoch"), ++epoch);
    EXPECT_TRUE(entry.at("loss").is_number());
  }
  EXPECT_EQ(epoch, 12);
}

TEST_F(TrainerTest, OtherMetricsSelectTheBestEpoch) {
  options_.train.metric = Metric::macro_f1;
  std::vector<double> scores;
  TrainHooks watching;
  watching.on_epoch = [&](const EpochReport& report) {
    scores.push_back(report.val.macro_f1);
  };
  const RunResult result = train_split(data_, 0, options_, watching);
  const auto best = std::max_element(scores.begin(), scores.end());
  EXPECT_EQ(best - scores.begin() + 1, result.best_epoch);
}

TEST_F(TrainerTest, EveryMetricChoosesTheEpochThatIsBestByIt) {
  for (const Metric metric : {Metric::roc_auc, Metric::balanced_accuracy,
                              Metric::average_precision, Metric::log_loss}) {
    SCOPED_TRACE(to_string(metric));
    options_.train.metric = metric;
    std::vector<double> scores;
    TrainHooks watching;
    watching.on_epoch = [&](const EpochReport& report) {
      scores.push_back(select(report.val, metric));
      EXPECT_TRUE(std::isfinite(scores.back()));
      EXPECT_EQ(
          report.best_score,
          value_of(report.best_epoch == report.epoch ? report.val : last_.val,
                   metric));
      if (report.best_epoch == report.epoch) last_ = report;
    };
    const RunResult result = train_split(data_, 0, options_, watching);
    const auto best = std::max_element(scores.begin(), scores.end());
    EXPECT_EQ(best - scores.begin() + 1, result.best_epoch);
    EXPECT_EQ(select(result.val, metric), *best);
  }
}

TEST_F(TrainerTest, AResultHasAllScoresWhateverTheMetric) {
  const RunResult result = train_split(data_, 0, options_, hooks("run"));
  const Trained trained = load_trained(result.checkpoint);
  const at::Tensor logits = predict(*trained.model, data_).logits;
  const Split& parts = data_.splits[0];
  const auto expect_scores = [&](const Scores& got, const at::Tensor& nodes) {
    const Scores expected = score_nodes(logits, data_.labels, nodes);
    for (const Metric metric : {Metric::accuracy, Metric::macro_f1,
                                Metric::roc_auc, Metric::balanced_accuracy,
                                Metric::average_precision, Metric::log_loss}) {
      EXPECT_DOUBLE_EQ(value_of(got, metric), value_of(expected, metric))
          << to_string(metric);
    }
  };
  expect_scores(result.train, parts.train);
  expect_scores(result.val, parts.val);
  expect_scores(result.test, parts.test);
  expect_scores(trained.result.test, parts.test);
}

TEST_F(TrainerTest, RankingOneClassIsRefused) {
  options_.train.metric = Metric::average_precision;
  NodeDataset data = data_;
  data.labels = data.labels.clone();
  data.labels.index_fill_(0, data.splits[0].val, 1);
  EXPECT_TRUE(contains(error_of([&] { train_split(data, 0, options_); }),
                       "average_precision needs two classes to rank"));
}

TEST_F(TrainerTest, WithoutATestPartThereAreNoTestScores) {
  options_.data.split_set = "stratified:80/20/0x2";
  data_ = load_dataset(options_.data);
  ASSERT_EQ(data_.splits[0].test.numel(), 0);
  const RunResult result = train_split(data_, 0, options_, hooks("run"));
  EXPECT_TRUE(std::isfinite(result.val.accuracy));
  for (const double score :
       {result.test.accuracy, result.test.macro_f1, result.test.roc_auc,
        result.test.balanced_accuracy, result.test.average_precision,
        result.test.log_loss}) {
    EXPECT_TRUE(std::isnan(score));
  }
  const Json json = Json::parse(core::read_file(dir_ / "run" / "result.json"));
  EXPECT_TRUE(json.at("test_accuracy").is_null());
  EXPECT_TRUE(json.at("test").at("roc_auc").is_null());
  EXPECT_TRUE(json.at("val_accuracy").is_number());
  // A finished run, and the checkpoint, are read back so.
  const RunResult again = train_split(data_, 0, options_, hooks("run", true));
  EXPECT_TRUE(std::isnan(again.test.accuracy));
  EXPECT_EQ(again.val.accuracy, result.val.accuracy);
  EXPECT_TRUE(std::isnan(load_trained(result.checkpoint).result.test.accuracy));
}

TEST_F(TrainerTest, TwoClassesReportRocAuc) {
  options_.data.data = "synthetic:csbm?nodes=60&classes=2&features=8&splits=1";
  data_ = load_dataset(options_.data);
  options_.train.metric = Metric::roc_auc;
  const RunResult result = train_split(data_, 0, options_);
  EXPECT_GE(result.test.roc_auc, 0.0);
  EXPECT_LE(result.test.roc_auc, 1.0);
}

TEST_F(TrainerTest, ClippingAndSchedulesChangeTheTrajectory) {
  train_split(data_, 0, options_, hooks("plain"));
  options_.train.clip_norm = 0.01;
  train_split(data_, 0, options_, hooks("clipped"));
  options_.train.clip_norm = 0;
  options_.train.schedule = Schedule::cosine;
  options_.train.warmup = 3;
  train_split(data_, 0, options_, hooks("scheduled"));
  EXPECT_FALSE(torch::equal(saved("plain").at("output.weight"),
                            saved("clipped").at("output.weight")));
  EXPECT_FALSE(torch::equal(saved("plain").at("output.weight"),
                            saved("scheduled").at("output.weight")));
}

TEST_F(TrainerTest, UnlabelledTrainingNodesAreLeftOut) {
  data_.labels = data_.labels.clone();
  const at::Tensor train = data_.splits[0].train;
  data_.labels.index_fill_(0, train.slice(0, 0, 3), -1);
  EXPECT_NO_THROW(train_split(data_, 0, options_));
  data_.labels.index_fill_(0, train, -1);
  EXPECT_NE(error_of([&] { train_split(data_, 0, options_); }), "");
}

TEST_F(TrainerTest, AnEmptyPartOrAMissingSplitIsRefused) {
  EXPECT_TRUE(contains(error_of([&] { train_split(data_, 7, options_); }),
                       "no split 7"));
  data_.splits[0].val = torch::empty({0}, at::kLong);
  EXPECT_NE(error_of([&] { train_split(data_, 0, options_); }), "");
}

}  // namespace
}  // namespace ordered_gnn::training
