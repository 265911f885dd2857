#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "cli/ognn_process.h"
#include "core/io/file.h"
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
  EXPECT_TRUE(contains(
      refused({"--memory", "2GiB", "--ranks", "2", "--engine", "local"}, 2),
      "one process at a time"));
  const Outcome whole =
      run_ognn({"train", "--data", "synthetic:csbm", "--memory", "2GiB"});
  EXPECT_EQ(whole.status, 2);
  EXPECT_TRUE(contains(whole.err, "ognn partition"));
}

}  // namespace
}  // namespace ordered_gnn
