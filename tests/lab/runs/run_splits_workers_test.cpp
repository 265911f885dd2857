// Splits that train side by side give what they give one after the other.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "core/io/file.h"
#include "lab/runs/run_splits.h"
#include "ordered_gnn/core/parallel.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

RunOptions all_splits(int64_t workers) {
  RunOptions options = tiny_run();
  options.splits = "all";
  options.execution.workers = workers;
  return options;
}

// A summary without what differs between any two runs.
Json lasting(const RunSummary& summary) {
  Json json = to_json(summary);
  json["config"].erase("workers");
  for (Json& run : json["runs"]) {
    for (const char* key :
         {"seconds", "seconds_per_epoch", "peak_bytes", "checkpoint"}) {
      run.erase(key);
    }
  }
  return json;
}

class Workers : public testing::Test {
 protected:
  // Loads the data anew: what it builds on first use is built by the workers.
  RunSummary run(RunOptions options, const std::string& out,
                 SplitsHooks hooks = {}) {
    const NodeDataset data = load_for_training(options);
    hooks.folder = dir_ / out;
    return run_splits(data, options, hooks);
  }

  std::string file(const std::string& out, int split, const char* name) {
    return core::read_file(dir_ / out / ("split-" + std::to_string(split)) /
                           name);
  }

  void expect_same_files(const std::string& a, const std::string& b) {
    for (const int split : {0, 1, 2}) {
      for (const char* name : {"model.safetensors", "metrics.jsonl"}) {
        EXPECT_TRUE(file(a, split, name) == file(b, split, name))
            << b << " split " << split << " " << name;
      }
    }
  }

  TempDir dir_;
};

TEST_F(Workers, GiveTheSameBitsAsOneAfterTheOther) {
  for (const char* features : {"raw", "identity"}) {
    const auto options = [&](int64_t workers) {
      RunOptions out = all_splits(workers);
      out.data.treatment.features = parse_feature_treatment(features);
      return out;
    };
    const std::string name = features;
    const Json one = lasting(run(options(1), name + "-1"));
    for (const int64_t workers : {0, 2, 3}) {
      const std::string out = name + "-" + std::to_string(workers);
      EXPECT_EQ(lasting(run(options(workers), out)), one) << out;
      expect_same_files(name + "-1", out);
    }
  }
}

TEST_F(Workers, KeepTheSummaryInTheOrderOfTheSplits) {
  RunOptions options = all_splits(3);
  options.splits = "1,2";
  run(options, "run");
  // Two splits are done already, so the first one ends last.
  options.splits = "all";
  SplitsHooks hooks;
  hooks.existing = ExistingOutput::resume;
  int64_t calls = 0;
  hooks.on_split = [&](const RunResult&, int64_t done, int64_t total) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(total, 3);
    const Json json =
        Json::parse(core::read_file(dir_ / "run" / "summary.json"));
    std::vector<int64_t> splits;
    for (const Json& run : json["runs"]) splits.push_back(run["split"]);
    EXPECT_EQ(static_cast<int64_t>(splits.size()), done);
    EXPECT_TRUE(std::is_sorted(splits.begin(), splits.end()));
  };
  const RunSummary summary = run(options, "run", hooks);
  ASSERT_EQ(summary.runs.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(summary.runs[i].split, static_cast<int64_t>(i));
  }
}

TEST_F(Workers, CallHooksOneAtATime) {
  std::atomic<int> inside{0};
  const auto enter = [&] {
    EXPECT_EQ(++inside, 1);
    for (int i = 0; i < 20; ++i) std::this_thread::yield();
    --inside;
  };
  std::map<int64_t, int64_t> epochs;
  SplitsHooks hooks;
  hooks.on_epoch = [&](const EpochReport& report) {
    enter();
    EXPECT_EQ(report.epoch, ++epochs[report.split]);
  };
  hooks.on_split = [&](const RunResult&, int64_t, int64_t) { enter(); };
  run(all_splits(3), "run", hooks);
  EXPECT_EQ(epochs.size(), 3u);
}

TEST_F(Workers, RunTheirKernelsOnOneThread) {
  SplitsHooks hooks;
  std::atomic<int> elsewhere{0};
  hooks.on_epoch = [&](const EpochReport&) {
    const std::thread::id own = std::this_thread::get_id();
    parallel_blocks(100, [&](int64_t) {
      if (std::this_thread::get_id() != own) ++elsewhere;
    });
    EXPECT_EQ(at::get_num_threads(), 1);
  };
  run(all_splits(2), "run", hooks);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Workers, ASingleOneHasThreadsThatFindWork) {
  RunOptions options = all_splits(1);
  SplitsHooks hooks;
  int expected = 1;  // for a small graph
  hooks.on_epoch = [&](const EpochReport&) {
    EXPECT_EQ(num_threads(), expected);
  };
  set_num_threads(3);
  run(options, "left-to-us", hooks);
  options.execution.threads = expected = 3;
  run(options, "asked-for", hooks);
  set_num_threads(0);
}

TEST_F(Workers, ReportTheErrorThatASingleOneMeets) {
  RunOptions options = all_splits(1);
  NodeDataset data = load_for_training(options);
  // Finite features whose sums overflow.
  data.features = NodeFeatures::dense(torch::full({data.num_nodes(), 8}, 3e38));
  const auto diverge = [&](int64_t workers) {
    options.execution.workers = workers;
    return error_of([&] { run_splits(data, options); });
  };
  const std::string one = diverge(1);
  EXPECT_TRUE(contains(one, "of split 0: training diverged"));
  EXPECT_EQ(diverge(2), one);
  EXPECT_EQ(diverge(3), one);
}

TEST_F(Workers, GoOnWithSplitsThatWereStopped) {
  RunOptions options = all_splits(1);
  options.train.save_seconds = 0;
  run(options, "whole");
  options.execution.workers = 2;
  SplitsHooks hooks;
  hooks.on_epoch = [](const EpochReport& report) {
    if (report.split == 1 && report.epoch == 5) throw Error("stopped");
  };
  EXPECT_EQ(error_of([&] { run(options, "cut", hooks); }), "stopped");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "cut/split-1/result.json"));
  hooks.on_epoch = [](const EpochReport& report) {
    // Epoch 4 is the last one whose state was saved.
    EXPECT_TRUE(report.split != 1 || report.epoch > 4);
  };
  hooks.existing = ExistingOutput::resume;
  EXPECT_EQ(run(options, "cut", hooks).runs.size(), 3u);
  expect_same_files("whole", "cut");
}

TEST_F(Workers, AllSaveTheirStateWhenAskedToStop) {
  RunOptions options = all_splits(1);
  options.train.save_seconds = 1e6;
  options.train.patience = options.train.epochs;
  run(options, "whole");
  for (const int64_t workers : {1, 2, 3}) {
    const std::string out = "cut-" + std::to_string(workers);
    options.execution.workers = workers;
    StopRequest stop;
    SplitsHooks hooks;
    hooks.stop = &stop;
    std::map<int64_t, int64_t> last;  // epoch of every split
    hooks.on_epoch = [&](const EpochReport& report) {
      last[report.split] = report.epoch;
      if (report.epoch == 5) stop.make();
    };
    EXPECT_THROW(run(options, out, hooks), Interrupted);
    for (const auto& [split, epoch] : last) {
      const auto folder = dir_ / out / ("split-" + std::to_string(split));
      EXPECT_TRUE(std::filesystem::exists(folder / "state.safetensors"));
    }
    hooks.stop = nullptr;
    std::map<int64_t, int64_t> first;
    hooks.on_epoch = [&](const EpochReport& report) {
      first.emplace(report.split, report.epoch);
    };
    hooks.existing = ExistingOutput::resume;
    EXPECT_EQ(run(options, out, hooks).runs.size(), 3u);
    for (const auto& [split, epoch] : last) EXPECT_EQ(first[split], epoch + 1);
    expect_same_files("whole", out);
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
