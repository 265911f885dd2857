#include "ordered_gnn/train/train.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <fstream>
#include <limits>

#include "core/io/file.h"
#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "train/checkpoint.h"

namespace ordered_gnn::training {
namespace {

class TrainerTest : public testing::Test {
 protected:
  RunOptions options_ = tiny_run();
  NodeDataset data_ = load_dataset(options_.data);
  TempDir dir_;
  EpochReport last_;

  TrainHooks hooks(const std::string& name, bool resume = false) {
    TrainHooks out;
    out.folder = dir_ / name;
    out.resume = resume;
    return out;
  }

  std::map<std::string, at::Tensor> saved(const std::string& name) {
    return core::read_safetensors(dir_ / name / "model.safetensors").tensors;
  }
};

void expect_same_bits(const std::map<std::string, at::Tensor>& a,
                      const std::map<std::string, at::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    EXPECT_TRUE(torch::equal(tensor, b.at(name))) << name;
  }
}

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

TEST_F(TrainerTest, AStoppedRunResumesToTheSameBits) {
  options_.train.save_seconds = 0;
  options_.train.epochs = 20;
  options_.train.patience = 20;
  const RunResult whole = train_split(data_, 0, options_, hooks("whole"));
  struct Cut {};
  TrainHooks stopping = hooks("cut");
  stopping.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 9) throw Cut();
  };
  EXPECT_THROW(train_split(data_, 0, options_, stopping), Cut);
  ASSERT_TRUE(std::filesystem::exists(dir_ / "cut" / "state.safetensors"));
  int64_t first_epoch = 0;
  TrainHooks resuming = hooks("cut", true);
  resuming.on_epoch = [&](const EpochReport& report) {
    if (first_epoch == 0) first_epoch = report.epoch;
  };
  const RunResult resumed = train_split(data_, 0, options_, resuming);
  EXPECT_EQ(first_epoch, 9);
  EXPECT_EQ(resumed.best_epoch, whole.best_epoch);
  EXPECT_DOUBLE_EQ(resumed.test.accuracy, whole.test.accuracy);
  expect_same_bits(saved("whole"), saved("cut"));
  EXPECT_EQ(core::read_file(dir_ / "whole" / "metrics.jsonl"),
            core::read_file(dir_ / "cut" / "metrics.jsonl"));
}

// However rarely states are saved, one is when a run is asked to stop.
TEST_F(TrainerTest, ARunThatIsAskedToStopResumesToTheSameBits) {
  options_.train.save_seconds = 1e6;
  options_.train.epochs = 20;
  options_.train.patience = 20;
  train_split(data_, 0, options_, hooks("whole"));
  for (const int64_t stop : {1, 7, 19}) {
    const std::string name = "cut-" + std::to_string(stop);
    int64_t last = 0;
    TrainHooks stopping = hooks(name);
    stopping.on_epoch = [&](const EpochReport& report) { last = report.epoch; };
    stopping.should_stop = [&] { return last == stop; };
    EXPECT_THROW(train_split(data_, 0, options_, stopping), Interrupted);
    EXPECT_EQ(last, stop);
    ASSERT_TRUE(std::filesystem::exists(dir_ / name / "state.safetensors"));
    int64_t first = 0;
    TrainHooks resuming = hooks(name, true);
    resuming.on_epoch = [&](const EpochReport& report) {
      if (first == 0) first = report.epoch;
    };
    train_split(data_, 0, options_, resuming);
    EXPECT_EQ(first, stop + 1);
    EXPECT_EQ(core::read_file(dir_ / "whole" / "model.safetensors"),
              core::read_file(dir_ / name / "model.safetensors"));
    EXPECT_EQ(core::read_file(dir_ / "whole" / "metrics.jsonl"),
              core::read_file(dir_ / name / "metrics.jsonl"));
  }
}

TEST_F(TrainerTest, ARunThatIsAskedToStopSaysWhatItKeeps) {
  const auto stopped_at = [&](int64_t stop, TrainHooks stopping) {
    int64_t last = 0;
    stopping.on_epoch = [&](const EpochReport& report) { last = report.epoch; };
    stopping.should_stop = [&] { return last == stop; };
    return error_of([&] { train_split(data_, 0, options_, stopping); });
  };
  const std::string kept = stopped_at(2, hooks("kept"));
  EXPECT_TRUE(contains(kept, "split 0 was stopped after epoch 2"));
  EXPECT_TRUE(contains(kept, (dir_ / "kept").string()));
  EXPECT_TRUE(contains(stopped_at(2, {}), "nothing of it was kept"));
  EXPECT_TRUE(contains(stopped_at(0, hooks("none")), "nothing of it was kept"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "none" / "state.safetensors"));
}

TEST_F(TrainerTest, ARunWhoseLastEpochIsDoneIsNotStopped) {
  int64_t last = 0;
  TrainHooks late;
  late.on_epoch = [&](const EpochReport& report) { last = report.epoch; };
  late.should_stop = [&] { return last == options_.train.epochs; };
  options_.train.patience = options_.train.epochs;
  EXPECT_EQ(train_split(data_, 0, options_, late).epochs,
            options_.train.epochs);
}

TEST_F(TrainerTest, WhatAKilledRunLeftHalfWrittenIsDeleted) {
  const auto half = dir_ / "run" / ".state.safetensors.2147483646-3.tmp";
  write_text(half, "half");
  write_text(dir_ / "run" / ".notes.tmp", "mine");
  train_split(data_, 0, options_, hooks("run"));
  EXPECT_FALSE(std::filesystem::exists(half));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "run" / ".notes.tmp"));
}

TEST_F(TrainerTest, AFinishedRunIsNotRepeated) {
  const RunResult first = train_split(data_, 0, options_, hooks("run"));
  TrainHooks again = hooks("run", true);
  again.on_epoch = [](const EpochReport&) { FAIL() << "trained again"; };
  const RunResult second = train_split(data_, 0, options_, again);
  EXPECT_EQ(to_json(first), to_json(second));
}

TEST_F(TrainerTest, ResumingWithOtherSettingsIsRefused) {
  options_.train.save_seconds = 0;
  TrainHooks stopping = hooks("run");
  stopping.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 3) throw 1;
  };
  EXPECT_THROW(train_split(data_, 0, options_, stopping), int);
  options_.train.lr = 0.02;
  const std::string message =
      error_of([&] { train_split(data_, 0, options_, hooks("run", true)); });
  EXPECT_TRUE(contains(message, "other settings")) << message;
}

TEST_F(TrainerTest, ADamagedStateIsRefusedByName) {
  std::filesystem::create_directories(dir_ / "run");
  std::ofstream(dir_ / "run" / "state.safetensors") << "garbage";
  EXPECT_TRUE(contains(
      error_of([&] { train_split(data_, 0, options_, hooks("run", true)); }),
      "state.safetensors"));
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

// Stops a run in the middle and goes on with it.
TEST_F(TrainerTest, ARunWithoutTestPartAndWithWeightsGoesOnWithTheSameBits) {
  options_.data.split_set = "stratified:80/20/0x1";
  options_.train.class_weights = "0:5";
  options_.train.save_seconds = 0;
  data_ = load_dataset(options_.data);
  train_split(data_, 0, options_, hooks("whole"));
  struct Cut {};
  TrainHooks cut = hooks("cut");
  cut.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 5) throw Cut{};
  };
  EXPECT_THROW(train_split(data_, 0, options_, cut), Cut);
  train_split(data_, 0, options_, hooks("cut", true));
  expect_same_bits(saved("whole"), saved("cut"));
  options_.train.class_weights = "none";
  train_split(data_, 0, options_, hooks("plain"));
  EXPECT_FALSE(torch::equal(saved("whole").at("output.weight"),
                            saved("plain").at("output.weight")));
  // The weights are part of what a run is.
  EXPECT_TRUE(contains(
      error_of([&] { train_split(data_, 0, options_, hooks("whole", true)); }),
      "other settings"));
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
