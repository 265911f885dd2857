#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

Json runs_with_workers(const std::string& workers) {
  const Outcome outcome =
      run_ognn({"train", "--data",
                "synthetic:csbm?nodes=200&classes=3&features=8&splits=3",
                "--layers", "2", "--hidden", "16", "--epochs", "6", "--splits",
                "all", "--workers", workers, "--json", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  Json runs = Json::parse(outcome.out).at("runs");
  for (Json& run : runs) {
    for (const char* key : {"seconds", "seconds_per_epoch", "peak_bytes"}) {
      run.erase(key);
    }
  }
  return runs;
}

TEST(TrainWorkers, PrintTheSameRunsAsOne) {
  const Json one = runs_with_workers("1");
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(runs_with_workers("2"), one);
}

TEST(TrainWorkers, ShowEverySplitThatIsDone) {
  std::vector<std::string> arguments =
      tiny_train({"--splits", "all", "--workers", "2"});
  arguments.erase(std::find(arguments.begin(), arguments.end(), "--quiet"));
  const Outcome outcome = run_ognn(arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "2 runs at a time, sharing "));
  for (const char* line :
       {"split 0 done (", "split 1 done (", "split 2 done (", "done (3/3)"}) {
    EXPECT_TRUE(contains(outcome.err, line));
  }
}

TEST(TrainWorkers, DoNotGoWithThreads) {
  const Outcome outcome =
      run_ognn(tiny_train({"--workers", "2", "--threads", "2"}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "runs share the cores with --workers 2"));
  EXPECT_EQ(run_ognn(tiny_train({"--workers", "-1"})).status, 2);
}

TEST(TrainWorkers, AreOfTrainingAlone) {
  EXPECT_TRUE(contains(run_ognn({"train", "--help"}).out, "--workers"));
  EXPECT_FALSE(contains(run_ognn({"predict", "--help"}).out, "--workers"));
}

}  // namespace
}  // namespace ordered_gnn
