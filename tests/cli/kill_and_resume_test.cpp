#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "ordered_gnn/core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

class KillAndResume : public testing::Test {
 protected:
  std::vector<std::string> call(const std::string& out) {
    return {"train",
            "--data",
            "synthetic:csbm?nodes=150&classes=3&features=8&splits=2",
            "--splits",
            "all",
            "--layers",
            "3",
            "--hidden",
            "32",
            "--epochs",
            "150",
            "--patience",
            "150",
            "--threads",
            "1",
            "--quiet",
            "--save-seconds",
            "0",
            "--out",
            (dir_ / out).string()};
  }

  std::string model(const std::string& out, int split) {
    return read_file(dir_ / out / ("split-" + std::to_string(split)) /
                     "model.safetensors");
  }

  TempDir dir_;
};

TEST_F(KillAndResume, AKilledRunEndsWithTheSameBits) {
  ASSERT_EQ(run_ognn(call("whole")).status, 0);
  std::vector<std::string> resume = call("cut");
  resume.push_back("--resume");
  // Cut at several moments; each resume may be cut again.
  int kills = 0;
  for (const int milliseconds : {150, 250, 350, 450}) {
    const pid_t child = start_ognn(kills == 0 ? call("cut") : resume);
    ::usleep(1000 * milliseconds);
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == 0) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
    }
    ++kills;
    if (!std::filesystem::exists(dir_ / "cut" / "run.json")) kills = 0;
  }
  const Outcome finished = run_ognn(kills == 0 ? call("cut") : resume);
  ASSERT_EQ(finished.status, 0) << finished.err;
  for (const int split : {0, 1}) {
    EXPECT_EQ(model("whole", split), model("cut", split)) << split;
  }
  const auto scores = [&](const std::string& out) {
    const Json summary = Json::parse(read_file(dir_ / out / "summary.json"));
    return std::make_pair(summary.at("test_mean"), summary.at("val_mean"));
  };
  EXPECT_EQ(scores("whole"), scores("cut"));
}

TEST_F(KillAndResume, AnEarlierRunIsNotTouchedWithoutBeingTold) {
  std::vector<std::string> quick = tiny_train({"--out", (dir_ / "r").string()});
  ASSERT_EQ(run_ognn(quick).status, 0);
  const std::string before = read_file(dir_ / "r" / "summary.json");
  const Outcome refused = run_ognn(quick);
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "--resume")) << refused.err;
  EXPECT_EQ(read_file(dir_ / "r" / "summary.json"), before);
  quick.push_back("--overwrite");
  EXPECT_EQ(run_ognn(quick).status, 0);
}

}  // namespace
}  // namespace ordered_gnn
