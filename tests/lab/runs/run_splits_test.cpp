#include "lab/runs/run_splits.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <set>

#include "core/io/file.h"
#include "lab/runs/dataset_cache.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

class RunSplits : public testing::Test {
 protected:
  RunSplits() { hooks_.folder = dir_ / "run"; }

  TempDir dir_;
  RunOptions options_ = tiny_run();
  SplitsHooks hooks_;
};

TEST_F(RunSplits, TrainsEverySplitAndWritesTheSummary) {
  options_.splits = "all";
  const NodeDataset data = load_for_training(options_);
  hooks_.command = "ognn train";
  std::vector<int64_t> done;
  hooks_.on_split = [&](const RunResult& run, int64_t count, int64_t total) {
    done.push_back(run.split);
    EXPECT_EQ(count, static_cast<int64_t>(done.size()));
    EXPECT_EQ(total, 3);
  };
  const RunSummary summary = run_splits(data, options_, hooks_);
  EXPECT_EQ(done, (std::vector<int64_t>{0, 1, 2}));
  const Json json = Json::parse(core::read_file(dir_ / "run" / "summary.json"));
  EXPECT_EQ(json, to_json(summary));
  for (const char* key :
       {"dataset", "model", "device", "runs", "test_mean", "test_std",
        "test_se", "val_mean", "seed", "fingerprint", "command", "commit"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key :
       {"split", "seed", "epochs", "best_epoch", "train_accuracy",
        "val_accuracy", "test_accuracy", "seconds", "seconds_per_epoch",
        "peak_bytes", "checkpoint"}) {
    EXPECT_TRUE(json["runs"][0].contains(key)) << key;
  }
  double mean = 0;
  for (const RunResult& run : summary.runs) mean += run.test.accuracy / 3;
  EXPECT_NEAR(summary.test_mean, mean, 1e-12);
}

TEST_F(RunSplits, OverwritingSaysWhatItLeaves) {
  const NodeDataset data = load_for_training(options_);
  std::vector<std::string> notes;
  hooks_.on_note = [&](const std::string& note) { notes.push_back(note); };
  run_splits(data, options_, hooks_);
  hooks_.existing = ExistingOutput::overwrite;
  run_splits(data, options_, hooks_);
  EXPECT_TRUE(notes.empty());
  write_text(dir_ / "run" / "split-notes.txt", "mine");
  write_text(dir_ / "run" / "split-0" / "notes.txt", "mine");
  run_splits(data, options_, hooks_);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0], "split-0/notes.txt, split-notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "run" / "split-notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "run" / "split-0" / "notes.txt"));
}

TEST_F(RunSplits, ResumingSkipsFinishedSplits) {
  options_.splits = "0,1";
  const NodeDataset data = load_for_training(options_);
  run_splits(data, options_, hooks_);
  options_.splits = "all";
  hooks_.existing = ExistingOutput::resume;
  std::set<int64_t> trained;
  hooks_.on_epoch = [&](const EpochReport& report) {
    trained.insert(report.split);
  };
  const RunSummary summary = run_splits(data, options_, hooks_);
  EXPECT_EQ(trained, (std::set<int64_t>{2}));
  EXPECT_EQ(summary.runs.size(), 3u);
}

TEST_F(RunSplits, ABadSplitIsFoundBeforeAnythingIsWritten) {
  options_.splits = "all";
  NodeDataset data = load_for_training(options_);
  data.splits[2].val = torch::empty({0}, at::kLong);
  EXPECT_TRUE(contains(error_of([&] { run_splits(data, options_, hooks_); }),
                       "split 2"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "run"));
}

TEST(LoadForTraining, WritesTheChosenTreatmentBack) {
  RunOptions options = tiny_run();
  const NodeDataset data = load_for_training(options);
  EXPECT_EQ(options.data.treatment.self_loops, SelfLoops::add);
  EXPECT_EQ(options.data.treatment.direction, data.treatment.direction);
  EXPECT_TRUE(options.data.treatment.features.has_value());
}

TEST_F(RunSplits, WithoutATestPartTheSummaryHasNoTestNumbers) {
  options_.data.split_set = "stratified:80/20/0x2";
  options_.splits = "all";
  const NodeDataset data = load_for_training(options_);
  const RunSummary summary = run_splits(data, options_, hooks_);
  EXPECT_TRUE(std::isnan(summary.test_mean));
  const Json json = Json::parse(core::read_file(dir_ / "run/summary.json"));
  for (const char* key : {"test_mean", "test_std", "test_se"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
  }
  EXPECT_TRUE(json.at("val_mean").is_number());
  EXPECT_TRUE(json.at("runs")[1].at("test_accuracy").is_null());
}

TEST_F(RunSplits, DataWithoutSplitsIsSplitOnceAndGoesOnAlike) {
  options_.data.data = "synthetic:csbm?nodes=60&classes=3&features=8&splits=0";
  options_.splits = "all";
  const RunOptions asked = options_;
  const NodeDataset data = load_for_training(options_);
  EXPECT_EQ(data.splits.size(), 1u);
  EXPECT_EQ(options_.data.split_set, "stratified:60/20/20x1");
  run_splits(data, options_, hooks_);
  // Asked for in the same words, it is the same run.
  RunOptions again = asked;
  const NodeDataset reloaded = load_for_training(again);
  hooks_.existing = ExistingOutput::resume;
  EXPECT_NO_THROW(run_splits(reloaded, again, hooks_));
  DatasetCache cache;
  for (int i = 0; i < 2; ++i) {
    RunOptions cached = asked;
    EXPECT_EQ(cache.get(cached).splits.size(), 1u);
    EXPECT_EQ(cached.data.split_set, "stratified:60/20/20x1");
  }
}

TEST_F(RunSplits, WhatIsTrainedElsewhereNeedsNoCopyOfTheData) {
  options_.execution.reorder = NodeOrder::degree;
  const NodeDataset data = load_for_training(options_);
  int64_t trained = 0;
  hooks_.train = [&](int64_t split, const RunOptions&,
                     const TrainHooks& hooks) {
    ++trained;
    EXPECT_EQ(hooks.placed, nullptr);
    RunResult result;
    result.split = split;
    return result;
  };
  run_splits(data, options_, hooks_);
  EXPECT_EQ(trained, 1);
}

TEST_F(RunSplits, ALogLossIsReportedAsItIs) {
  options_.train.metric = Metric::log_loss;
  const NodeDataset data = load_for_training(options_);
  const RunSummary summary = run_splits(data, options_);
  EXPECT_GT(summary.test_mean, 0);
  EXPECT_EQ(summary.test_mean, summary.runs[0].test.log_loss);
}

}  // namespace
}  // namespace ordered_gnn::lab
