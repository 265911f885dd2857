#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "scale/engines/gloo.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Words = std::vector<std::string>;

class PartsSpill : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome made =
        run_ognn({"partition",
                  "synthetic:csbm?nodes=6000&degree=6&classes=3&features=8"
                  "&splits=1&seed=3",
                  "--parts", "3", "--method", "stream", "--out", path("p")});
    ASSERT_EQ(made.status, 0) << made.err;
  }

  std::string path(const std::string& name) const {
    return (dir_ / name).string();
  }

  Words call(const std::string& out, const Words& more) const {
    Words words = {"train", "--data",    path("p"), "--layers",
                   "2",     "--hidden",  "64",      "--epochs",
                   "12",    "--out",     path(out), "--save-seconds",
                   "0",     "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::string model(const std::string& out) const {
    return core::read_file(dir_ / out / "split-0" / "model.safetensors");
  }

  TempDir dir_;
};

TEST_F(PartsSpill, KilledAndResumedWithRanksHasTheSameModel) {
  ASSERT_EQ(run_ognn(call("memory", {"--quiet"})).status, 0);
  StartedOgnn begun(
      call("cut", {"--quiet", "--memory", "2GiB", "--spill", path("spill")}));
  const auto metrics = dir_ / "cut" / "split-0" / "metrics.jsonl";
  for (int i = 0; i < 600; ++i) {
    std::error_code missing;
    if (std::filesystem::file_size(metrics, missing) > 100 && !missing) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  begun.send(SIGKILL);
  begun.wait();
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "spill"));
  const Outcome resumed =
      run_ognn({"train", "--out", path("cut"), "--resume", "--quiet", "--ranks",
                "2", "--engine", "local"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(model("cut") == model("memory"));
}

TEST_F(PartsSpill, RanksHaveALimitEach) {
  ASSERT_EQ(run_ognn(call("memory", {"--quiet"})).status, 0);
  for (const std::string engine : {"local", "gloo"}) {
    if (engine == "gloo" && !scale::has_gloo()) continue;
    const Outcome run = run_ognn_anew(
        call(engine, {"--memory", "2GiB", "--spill", path("spill"), "--ranks",
                      "2", "--engine", engine}));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(contains(
        run.err, engine == "gloo" ? "for each of 2 ranks"
                                  : "in one process whose parts take turns"))
        << run.err;
    EXPECT_TRUE(model(engine) == model("memory")) << engine;
    EXPECT_TRUE(std::filesystem::is_empty(dir_ / "spill"));
    const std::string checkpoint = path(engine + "/split-0/model.safetensors");
    for (const char* const ranks : {"1", "2"}) {
      const Outcome scored = run_ognn_anew(
          {"evaluate", "--checkpoint", checkpoint, "--memory", "2GiB",
           "--ranks", ranks, "--engine", engine, "--json"});
      ASSERT_EQ(scored.status, 0) << scored.err;
      const Outcome plain =
          run_ognn({"evaluate", "--checkpoint", checkpoint, "--json"});
      EXPECT_EQ(scored.out, plain.out);
    }
  }
}

// Ranks that a launcher has started meet first, so that none waits for another
// that has refused.
TEST_F(PartsSpill, RanksThatWereLaunchedRefuseALimitTogether) {
  if (!scale::has_gloo()) GTEST_SKIP() << "this build has no Gloo";
  ::setenv("WORLD_SIZE", "2", 1);
  ::setenv("LOCAL_WORLD_SIZE", "2", 1);
  ::setenv("MASTER_ADDR", "127.0.0.1", 1);
  ::setenv("MASTER_PORT", "29517", 1);
  std::vector<std::unique_ptr<StartedOgnn>> ranks;
  for (const char* const rank : {"0", "1"}) {
    ::setenv("RANK", rank, 1);
    ranks.push_back(std::make_unique<StartedOgnn>(
        call("no", {"--quiet", "--memory", "20MB"})));
  }
  for (const char* const name : {"RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
                                 "MASTER_ADDR", "MASTER_PORT"}) {
    ::unsetenv(name);
  }
  for (const auto& rank : ranks) {
    const Outcome ended = rank->wait();
    EXPECT_EQ(ended.status, 1) << ended.err;
    EXPECT_TRUE(contains(ended.err, "rank 0: --memory 20.0 MB")) << ended.err;
  }
}

TEST_F(PartsSpill, SaysWhatItTakesAndLeavesNothing) {
  const Outcome run = run_ognn(call("run", {"--memory", "2GiB"}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "memory 2.1 GB (the least is ")) << run.err;
  EXPECT_TRUE(contains(run.err, "on the disk of " + path("run"))) << run.err;
  EXPECT_TRUE(contains(run.err, "memory: ")) << run.err;
  const std::string checkpoint = path("run/split-0/model.safetensors");
  const auto predictions = [&](const std::string& out, const Words& more) {
    Words words = {"predict", "--checkpoint", checkpoint,
                   "--out",   path(out),      "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome predicted = run_ognn(words);
    EXPECT_EQ(predicted.status, 0) << predicted.err;
    return core::read_file(dir_ / out / "part-0001.csv");
  };
  EXPECT_TRUE(predictions("a", {"--memory", "2GiB", "--spill",
                                path("spill")}) == predictions("b", {}));
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "spill"));
  // An explanation has a table of nodes to keep, and says that it is one.
  const Outcome tight =
      run_ognn({"explain", "--checkpoint", checkpoint, "--memory", "20MB"});
  EXPECT_EQ(tight.status, 1);
  EXPECT_TRUE(contains(tight.err, "the least that an explanation over these"))
      << tight.err;
}

TEST_F(PartsSpill, RefusesWhatCannotBe) {
  const auto refused = [&](const Words& more, int status) {
    const Outcome run = run_ognn(call("no", more));
    EXPECT_EQ(run.status, status) << run.err;
    return run.err;
  };
  EXPECT_TRUE(contains(refused({"--memory", "20MB"}, 1),
                       "--memory 20.0 MB: the least that training over these "
                       "parts can do with is"));
  EXPECT_TRUE(contains(refused({"--memory", "lots"}, 2), "such as 16GiB"));
  EXPECT_TRUE(contains(refused({"--spill", path("s")}, 2), "--memory 16GiB"));
  // Of the rank that cannot, before any has been started.
  EXPECT_TRUE(contains(refused({"--memory", "20MB", "--ranks", "2"}, 1),
                       "--memory 20.0 MB: the least that training"));
  const Outcome whole =
      run_ognn({"train", "--data", "synthetic:csbm", "--memory", "2GiB"});
  EXPECT_EQ(whole.status, 2);
  EXPECT_TRUE(contains(whole.err, "ognn partition"));
}

}  // namespace
}  // namespace ordered_gnn
