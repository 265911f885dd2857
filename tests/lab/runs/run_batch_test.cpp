#include "lab/runs/run_batch.h"

#include <gtest/gtest.h>

#include <set>

#include "lab/runs/run_splits.h"
#include "ordered_gnn/core/memory.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

PlannedRun planned(int64_t split, double lr = 0.01) {
  PlannedRun run;
  run.options = tiny_run();
  run.options.train.lr = lr;
  run.split = split;
  return run;
}

// A record without what differs between any two runs.
Json settled(const LoggedRun& record) {
  Json json = to_json(record);
  json.erase("seconds");
  json.erase("finished");
  for (const char* key : {"seconds", "seconds_per_epoch", "peak_bytes"}) {
    json["result"].erase(key);
  }
  return json;
}

class RunBatchTest : public testing::Test {
 protected:
  std::vector<LoggedRun> run(const std::vector<PlannedRun>& planned,
                             const BatchOptions& options = {},
                             BatchHooks hooks = {}) {
    trained_ = 0;
    const auto on_run = hooks.on_run;
    hooks.on_run = [&, on_run](const LoggedRun& record,
                               const BatchProgress& progress) {
      ++trained_;
      last_ = progress;
      if (on_run) on_run(record, progress);
    };
    RunLog log(dir_ / folder_);
    DatasetCache datasets;
    return run_batch(planned, log, datasets, options, hooks);
  }

  TempDir dir_;
  std::string folder_ = "batch";
  int trained_ = 0;
  BatchProgress last_;
};

TEST_F(RunBatchTest, GivesTheResultsOfTrainingSplitBySplit) {
  const std::vector<LoggedRun> records = run({planned(2), planned(0)});
  ASSERT_EQ(records.size(), 2u);
  RunOptions options = tiny_run();
  const NodeDataset data = load_for_training(options);
  for (const LoggedRun& record : records) {
    ASSERT_TRUE(record.result.has_value()) << record.error;
    const RunResult alone = train_split(data, record.split, options);
    EXPECT_EQ(record.result->val.accuracy, alone.val.accuracy);
    EXPECT_EQ(record.result->best_epoch, alone.best_epoch);
    EXPECT_EQ(record.options.splits, std::to_string(record.split));
    EXPECT_EQ(record.options.data.treatment.self_loops, SelfLoops::add);
    EXPECT_EQ(record.fingerprint, data.provenance.fingerprint);
    EXPECT_GT(record.seconds, 0);
  }
  EXPECT_EQ(records[0].split, 2);
  EXPECT_EQ(last_.total, 2);
  EXPECT_EQ(last_.done, 2);
  EXPECT_EQ(last_.seconds_left, 0);
}

TEST_F(RunBatchTest, SkipsWhatTheLogHas) {
  const std::vector<LoggedRun> first = run({planned(0), planned(1)});
  EXPECT_EQ(trained_, 2);
  const std::vector<LoggedRun> all =
      run({planned(1), planned(2), planned(0), planned(2)});
  EXPECT_EQ(trained_, 1);
  EXPECT_EQ(last_.total, 3);
  EXPECT_EQ(last_.skipped, 2);
  EXPECT_EQ(to_json(all[2]), to_json(first[0]));
  EXPECT_EQ(to_json(all[1]), to_json(all[3]));
  EXPECT_EQ(read_run_log(dir_ / "batch/runs.jsonl").size(), 3u);
}

TEST_F(RunBatchTest, WorkersDoNotShowInTheRecords) {
  const std::vector<PlannedRun> runs = {planned(0), planned(1), planned(2),
                                        planned(0, 0.02)};
  const std::vector<LoggedRun> one = run(runs);
  folder_ = "three";
  BatchOptions options;
  options.execution.workers = 3;
  const std::vector<LoggedRun> three = run(runs, options);
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(settled(one[i]), settled(three[i])) << i;
  }
}

TEST_F(RunBatchTest, ARunWithoutMemoryIsRecordedAndTheOthersGoOn) {
  PlannedRun large = planned(0);
  large.options.network.hidden = 1 << 20;
  for (const int64_t workers : {1, 2}) {
    folder_ = fmt::format("workers-{}", workers);
    BatchOptions options;
    options.execution.workers = workers;
    options.execution.max_memory =
        std::to_string(resident_memory_bytes() + (int64_t{64} << 20));
    const std::vector<LoggedRun> records = run({large, planned(1)}, options);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_FALSE(records[0].result.has_value());
    EXPECT_TRUE(contains(records[0].error, "takes at least"));
    EXPECT_TRUE(contains(records[0].error, "--max-memory"));
    EXPECT_TRUE(records[1].result.has_value()) << records[1].error;
  }
}

TEST_F(RunBatchTest, AFailedRunIsRecordedAndTheOthersGoOn) {
  PlannedRun unfit = planned(1);
  unfit.options.network.chunk = 7;  // does not divide the width
  std::vector<PlannedRun> runs = {unfit, planned(0, 999), planned(2)};
  runs[1].options.train.class_weights = "nobody:2";  // no such class
  const std::vector<LoggedRun> records = run(runs);
  EXPECT_TRUE(contains(records[0].error, "chunk"));
  EXPECT_TRUE(contains(records[1].error, "nobody"));
  EXPECT_TRUE(records[2].result.has_value());
  EXPECT_EQ(last_.failed, 2);
  run(runs);
  EXPECT_EQ(trained_, 0);
  BatchOptions again;
  again.retry_failed = true;
  run(runs, again);
  EXPECT_EQ(trained_, 2);
}

TEST_F(RunBatchTest, ALostDeviceEndsTheBatchAndNoRunIsToBlame) {
  PlannedRun unlucky = planned(1);
  unlucky.options.train.class_weights = "nobody:2";  // no such class
  const std::vector<PlannedRun> runs = {planned(0), unlucky, planned(2)};
  BatchOptions lost;
  int asked = 0;
  lost.lost_device = [&](const ExecutionOptions& execution) {
    ++asked;
    EXPECT_EQ(execution.device, Device::cpu);
    return "it burnt";
  };
  EXPECT_TRUE(contains(error_of([&] { run(runs, lost); }), "it burnt"));
  EXPECT_EQ(asked, 1);
  const std::vector<LoggedRun> records = run(runs);
  EXPECT_EQ(trained_, 2);  // the first was kept, no other was
  EXPECT_TRUE(contains(records[1].error, "nobody"));
  EXPECT_TRUE(records[2].result.has_value());
}

TEST_F(RunBatchTest, ALostDeviceEndsAllWorkers) {
  std::vector<PlannedRun> runs;
  for (int64_t i = 0; i < 6; ++i) {
    runs.push_back(planned(i % 3, 0.01 + 0.01 * static_cast<double>(i)));
    runs.back().options.train.class_weights = "nobody:2";
  }
  BatchOptions lost;
  lost.execution.workers = 3;
  lost.lost_device = [](const ExecutionOptions&) { return "it burnt"; };
  EXPECT_TRUE(contains(error_of([&] { run(runs, lost); }), "--workers 1"));
  EXPECT_EQ(trained_, 0);
  for (PlannedRun& one : runs) one.options.train.class_weights = "none";
  for (const LoggedRun& record : run(runs)) {
    EXPECT_TRUE(record.result.has_value()) << record.error;
  }
}

TEST_F(RunBatchTest, GoesOnInTheFolderOfARunThatWasStopped) {
  struct Stop {};
  PlannedRun kept = planned(0);
  kept.folder = dir_ / "kept";
  kept.options.train.save_seconds = 0;
  BatchHooks hooks;
  hooks.on_epoch = [](const EpochReport& report, const PlannedRun&) {
    if (report.epoch == 5) throw Stop();
  };
  EXPECT_THROW(run({kept}, {}, hooks), Stop);
  EXPECT_TRUE(read_run_log(dir_ / "batch/runs.jsonl").empty());
  hooks.on_epoch = [](const EpochReport& report, const PlannedRun& run) {
    EXPECT_GT(report.epoch, 4);
    EXPECT_EQ(run.split, 0);
  };
  const std::vector<LoggedRun> records = run({kept}, {}, hooks);
  EXPECT_TRUE(std::filesystem::exists(records[0].result->checkpoint));
  folder_ = "whole";
  EXPECT_EQ(run({planned(0)})[0].result->val.accuracy,
            records[0].result->val.accuracy);
}

TEST_F(RunBatchTest, StopsWhenAskedAndGoesOnWhereItWas) {
  PlannedRun kept = planned(0);
  kept.folder = dir_ / "kept";
  kept.options.train.save_seconds = 1e6;
  StopRequest stop;
  BatchOptions options;
  options.stop = &stop;
  BatchHooks hooks;
  hooks.on_epoch = [&](const EpochReport& report, const PlannedRun& run) {
    EXPECT_EQ(stop.num_savers(), run.folder.empty() ? 0 : 1);
    if (!run.folder.empty() && report.epoch == 5) stop.make();
  };
  EXPECT_THROW(run({planned(1), kept, planned(2)}, options, hooks),
               Interrupted);
  EXPECT_EQ(stop.num_savers(), 0);
  // What ended before is logged; what was stopped is no failure.
  const std::vector<LoggedRun> logged = read_run_log(dir_ / "batch/runs.jsonl");
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].split, 1);
  hooks.on_epoch = [](const EpochReport& report, const PlannedRun&) {
    EXPECT_GT(report.epoch, 5);
  };
  const std::vector<LoggedRun> records = run({kept}, {}, hooks);
  folder_ = "whole";
  EXPECT_EQ(run({planned(0)})[0].result->val.accuracy,
            records[0].result->val.accuracy);
}

TEST_F(RunBatchTest, AHookThatThrowsStopsTheBatchAndLosesNothing) {
  struct Stop {};
  BatchHooks hooks;
  hooks.on_run = [](const LoggedRun&, const BatchProgress&) { throw Stop(); };
  std::vector<PlannedRun> runs;
  for (int64_t i = 0; i < 40; ++i) runs.push_back(planned(0, 0.001 * (i + 1)));
  EXPECT_THROW(run(runs, {}, hooks), Stop);
  const size_t logged = read_run_log(dir_ / "batch/runs.jsonl").size();
  EXPECT_GE(logged, 1u);
  EXPECT_LT(logged, 40u);
  EXPECT_EQ(run(runs).size(), 40u);
  EXPECT_EQ(trained_, 40 - static_cast<int>(logged));
}

TEST_F(RunBatchTest, WhatCannotBeRunAtAllIsFoundBeforeTheFirstRun) {
  EXPECT_TRUE(contains(error_of([&] {
                         run({planned(0), planned(3)});
                       }),
                       "split 3"));
  PlannedRun missing = planned(0);
  missing.options.data.data = "texsa";
  EXPECT_TRUE(contains(error_of([&] { run({planned(0), missing}); }), "texas"));
  BatchOptions unfit;
  unfit.execution.math = Math::tf32;
  EXPECT_TRUE(
      contains(error_of([&] { run({planned(0)}, unfit); }), "--device cuda"));
  EXPECT_EQ(trained_, 0);
  EXPECT_TRUE(run({}).empty());
}

TEST(DatasetCacheTest, LoadsOncePerChoiceOfData) {
  DatasetCache cache;
  RunOptions a = tiny_run(), b = tiny_run(), c = tiny_run();
  b.train.lr = 0.5;
  c.data.treatment.self_loops = SelfLoops::remove;
  const NodeDataset& data = cache.get(a);
  EXPECT_EQ(&cache.get(b), &data);
  EXPECT_EQ(b.data.treatment.features, a.data.treatment.features);
  EXPECT_TRUE(b.data.treatment.features.has_value());
  // Options that already say what "auto" stands for.
  EXPECT_EQ(&cache.get(a), &data);
  EXPECT_NE(&cache.get(c), &data);
  EXPECT_EQ(cache.placed(data, a), nullptr);
}

}  // namespace
}  // namespace ordered_gnn::lab
