#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/parts_train.h"
#include "scale/engines/gloo.h"

namespace ordered_gnn {
namespace {

// Ranks as a launcher starts them.
class LaunchedRanks : public PartsTrain {
 protected:
  void SetUp() override {
    if (!scale::has_gloo()) GTEST_SKIP() << "this build has no Gloo";
    PartsTrain::SetUp();
    const scale::BoardServer free_port({"127.0.0.1", 0});
    port_ = std::to_string(free_port.port());
  }
  void TearDown() override {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
      ::unsetenv(name);
    }
  }

  std::unique_ptr<StartedOgnn> start(int rank, int size, const Words& words) {
    ::setenv("RANK", std::to_string(rank).c_str(), 1);
    ::setenv("WORLD_SIZE", std::to_string(size).c_str(), 1);
    ::setenv("MASTER_ADDR", "127.0.0.1", 1);
    ::setenv("MASTER_PORT", port_.c_str(), 1);
    return std::make_unique<StartedOgnn>(words);
  }

  // Waits until the run has written down an epoch.
  bool has_begun(const std::string& out) const {
    const auto metrics = dir_ / out / "split-0" / "metrics.jsonl";
    for (int i = 0; i < 600; ++i) {
      std::error_code missing;
      if (std::filesystem::file_size(metrics, missing) > 200 && !missing) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  std::string port_;
};

TEST_F(LaunchedRanks, TrainAsOneProcessDoes) {
  const Words words = call("ranks", {});
  const auto first = start(0, 2, words);
  const auto second = start(1, 2, words);
  EXPECT_EQ(second->wait().status, 0);
  const Outcome run = first->wait();
  ASSERT_EQ(run.status, 0) << run.err;
  TearDown();
  ASSERT_EQ(run_ognn(call("one", {})).status, 0);
  EXPECT_TRUE(model("ranks") == model("one"));
}

TEST_F(LaunchedRanks, WithOtherSettingsAreRefusedByName) {
  const auto first = start(0, 2, call("ranks", {}));
  const auto second = start(1, 2, call("ranks", {"--lr", "0.125"}));
  const Outcome zero = first->wait();
  const Outcome one = second->wait();
  EXPECT_EQ(zero.status, 1);
  EXPECT_EQ(one.status, 1);
  EXPECT_TRUE(
      contains(zero.err, "rank 1 does not fit rank 0: its lr is 0.125"));
}

TEST_F(LaunchedRanks, EndWellWhenRankZeroIsAskedToStop) {
  const Words words = call("cut", {}, /*epochs=*/1000000);
  const auto first = start(0, 2, words);
  const auto second = start(1, 2, words);
  ASSERT_TRUE(has_begun("cut"));
  first->send(SIGINT);
  const Outcome other = second->wait();
  EXPECT_EQ(other.status, 0) << other.err;
  const Outcome run = first->wait();
  EXPECT_EQ(run.status, -SIGINT);
  EXPECT_TRUE(contains(run.err, "--resume"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "cut/split-0/state.safetensors"));
}

TEST_F(LaunchedRanks, OneThatIsKilledIsNamedAndTheRunGoesOnWithOthers) {
  constexpr int kEpochs = 1200;
  const Words words = call("cut", {}, kEpochs);
  const auto first = start(0, 3, words);
  const auto second = start(1, 3, words);
  const auto third = start(2, 3, words);
  ASSERT_TRUE(has_begun("cut"));
  second->send(SIGKILL);
  const auto begin = std::chrono::steady_clock::now();
  for (const auto* survivor : {&first, &third}) {
    const Outcome run = (*survivor)->wait();
    EXPECT_EQ(run.status, 75) << run.err;
    EXPECT_TRUE(contains(run.err, "rank 1 on "));
    EXPECT_TRUE(contains(run.err, "was lost in epoch"));
    EXPECT_TRUE(contains(run.err, "--resume"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::seconds(30));  // nobody hangs
  TearDown();
  Words resumed = {"train",   "--out", folder("cut"), "--resume", "--quiet",
                   "--ranks", "2",     "--engine",    "local"};
  const Outcome run = run_ognn(resumed);
  ASSERT_EQ(run.status, 0) << run.err;
  ASSERT_EQ(run_ognn(call("whole", {}, kEpochs)).status, 0);
  EXPECT_TRUE(model("cut") == model("whole"));
}

}  // namespace
}  // namespace ordered_gnn
