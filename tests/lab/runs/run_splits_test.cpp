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

TEST(RunSplits, TrainsEverySplitAndWritesTheSummary) {
  const TempDir dir;
  RunOptions options = tiny_run();
  options.splits = "all";
  const NodeDataset data = load_for_training(options);
  SplitsHooks hooks;
  hooks.folder = dir / "run";
  hooks.command = "ognn train";
  std::vector<int64_t> done;
  hooks.on_split = [&](const RunResult& run, int64_t count, int64_t total) {
    done.push_back(run.split);
    EXPECT_EQ(count, static_cast<int64_t>(done.size()));
    EXPECT_EQ(total, 3);
  };
  const RunSummary summary = run_splits(data, options, hooks);
  EXPECT_EQ(done, (std::vector<int64_t>{0, 1, 2}));
  const Json json = Json::parse(core::read_file(dir / "run" / "summary.json"));
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

TEST(RunSplits, OverwritingSaysWhatItLeaves) {
  const TempDir dir;
  RunOptions options = tiny_run();
  const NodeDataset data = load_for_training(options);
  std::vector<std::string> notes;
  SplitsHooks hooks;
  hooks.folder = dir / "run";
  hooks.on_note = [&](const std::string& note) { notes.push_back(note); };
  run_splits(data, options, hooks);
  hooks.existing = ExistingOutput::overwrite;
  run_splits(data, options, hooks);
  EXPECT_TRUE(notes.empty());
  write_text(dir / "run" / "split-notes.txt", "mine");
  write_text(dir / "run" / "split-0" / "notes.txt", "mine");
  run_splits(data, options, hooks);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0], "split-0/notes.txt, split-notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(dir / "run" / "split-notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(dir / "run" / "split-0" / "notes.txt"));
}

TEST(RunSplits, ResumingSkipsFinishedSplits) {
  const TempDir dir;
  RunOptions options = tiny_run();
  options.splits = "0,1";
  const NodeDataset data = load_for_training(options);
  SplitsHooks hooks;
  hooks.folder = dir / "run";
  run_splits(data, options, hooks);
  options.splits = "all";
  hooks.existing = ExistingOutput::resume;
  std::set<int64_t> trained;
  hooks.on_epoch = [&](const EpochReport& report) {
    trained.insert(report.split);
  };
  const RunSummary summary = run_splits(data, options, hooks);
  EXPECT_EQ(trained, (std::set<int64_t>{2}));
  EXPECT_EQ(summary.runs.size(), 3u);
}

TEST(RunSplits, ABadSplitIsFoundBeforeAnythingIsWritten) {
  const TempDir dir;
  RunOptions options = tiny_run();
  options.splits = "all";
  NodeDataset data = load_for_training(options);
  data.splits[2].val = torch::empty({0}, at::kLong);
  SplitsHooks hooks;
  hooks.folder = dir / "run";
  EXPECT_TRUE(
      contains(error_of([&] { run_splits(data, options, hooks); }), "split 2"));
  EXPECT_FALSE(std::filesystem::exists(dir / "run"));
}

TEST(LoadForTraining, WritesTheChosenTreatmentBack) {
  RunOptions options = tiny_run();
  const NodeDataset data = load_for_training(options);
  EXPECT_EQ(options.data.treatment.self_loops, SelfLoops::add);
  EXPECT_EQ(options.data.treatment.direction, data.treatment.direction);
  EXPECT_TRUE(options.data.treatment.features.has_value());
}

TEST(RunSplits, WithoutATestPartTheSummaryHasNoTestNumbers) {
  const TempDir dir;
  RunOptions options = tiny_run();
  options.data.split_set = "stratified:80/20/0x2";
  options.splits = "all";
  const NodeDataset data = load_for_training(options);
  SplitsHooks hooks;
  hooks.folder = dir / "run";
  const RunSummary summary = run_splits(data, options, hooks);
  EXPECT_TRUE(std::isnan(summary.test_mean));
  const Json json = Json::parse(core::read_file(dir / "run/summary.json"));
  for (const char* key : {"test_mean", "test_std", "test_se"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
  }
  EXPECT_TRUE(json.at("val_mean").is_number());
  EXPECT_TRUE(json.at("runs")[1].at("test_accuracy").is_null());
}

TEST(RunSplits, DataWithoutSplitsIsSplitOnceAndGoesOnAlike) {
  const TempDir dir;
  RunOptions options = tiny_run();
  options.data.data = "synthetic:csbm?nodes=60&classes=3&features=8&splits=0";
  options.splits = "all";
  const RunOptions asked = options;
  const NodeDataset data = load_for_training(options);
  EXPECT_EQ(data.splits.size(), 1u);
  EXPECT_EQ(options.data.split_set, "stratified:60/20/20x1");
  SplitsHooks hooks;
  hooks.folder = dir / "run";
  run_splits(data, options, hooks);
  // Asked for in the same words, it is the same run.
  RunOptions again = asked;
  const NodeDataset reloaded = load_for_training(again);
  hooks.existing = ExistingOutput::resume;
  EXPECT_NO_THROW(run_splits(reloaded, again, hooks));
  DatasetCache cache;
  for (int i = 0; i < 2; ++i) {
    RunOptions cached = asked;
    EXPECT_EQ(cache.get(cached).splits.size(), 1u);
    EXPECT_EQ(cached.data.split_set, "stratified:60/20/20x1");
  }
}

TEST(RunSplits, ALogLossIsReportedAsItIs) {
  RunOptions options = tiny_run();
  options.train.metric = Metric::log_loss;
  const NodeDataset data = load_for_training(options);
  const RunSummary summary = run_splits(data, options);
  EXPECT_GT(summary.test_mean, 0);
  EXPECT_EQ(summary.test_mean, summary.runs[0].test.log_loss);
}

}  // namespace
}  // namespace ordered_gnn::lab
