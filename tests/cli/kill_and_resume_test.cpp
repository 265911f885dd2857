#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class KillAndResume : public testing::Test {
 protected:
  std::vector<std::string> call(const std::string& out,
                                const std::string& workers = "1") {
    return {"train",
            "--workers",
            workers,
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
    return core::read_file(dir_ / out / ("split-" + std::to_string(split)) /
                           "model.safetensors");
  }

  // When the run last wrote down an epoch.
  fs::file_time_type last_epoch() {
    fs::file_time_type last = fs::file_time_type::min();
    for (const int split : {0, 1}) {
      std::error_code missing;
      const auto time = fs::last_write_time(
          dir_ / "cut" / ("split-" + std::to_string(split)) / "metrics.jsonl",
          missing);
      if (!missing) last = std::max(last, time);
    }
    return last;
  }

  // Starts a run and sends it a signal that long after it went to work.
  void start_and_stop(const std::vector<std::string>& call, int milliseconds,
                      int signal) {
    const fs::file_time_type before = last_epoch();
    const pid_t child = start_ognn(call);
    int status = 0;
    while (last_epoch() == before) {
      if (::waitpid(child, &status, WNOHANG) != 0) return;  // it ended
      ::usleep(1000);
    }
    ::usleep(1000 * milliseconds);
    ::kill(child, signal);
    ::waitpid(child, &status, 0);
  }

  // Cuts a run several times before it may end.
  void run_with_stops(const std::vector<std::string>& start, int signal) {
    std::vector<std::string> resume = start;
    resume.push_back("--resume");
    start_and_stop(start, 50, signal);
    for (const int milliseconds : {150, 250, 350}) {
      start_and_stop(resume, milliseconds, signal);
    }
    const Outcome finished = run_ognn(resume);
    ASSERT_EQ(finished.status, 0) << finished.err;
  }

  void expect_same_bits() {
    for (const int split : {0, 1}) {
      // Not EXPECT_EQ: it would print the files.
      EXPECT_TRUE(model("whole", split) == model("cut", split)) << split;
    }
    const auto scores = [&](const std::string& out) {
      const Json summary =
          Json::parse(core::read_file(dir_ / out / "summary.json"));
      return std::make_pair(summary.at("test_mean"), summary.at("val_mean"));
    };
    EXPECT_EQ(scores("whole"), scores("cut"));
  }

  TempDir dir_;
};

TEST_F(KillAndResume, AKilledRunEndsWithTheSameBits) {
  ASSERT_EQ(run_ognn(call("whole")).status, 0);
  run_with_stops(call("cut"), SIGKILL);
  expect_same_bits();
}

TEST_F(KillAndResume, SoDoesOneWithWorkers) {
  ASSERT_EQ(run_ognn(call("whole")).status, 0);
  run_with_stops(call("cut", "2"), SIGKILL);
  expect_same_bits();
}

// No state is saved but by being stopped.
TEST_F(KillAndResume, ARunThatIsAskedToStopEndsWithTheSameBits) {
  const auto rarely_saved = [&](const std::string& out,
                                const std::string& workers) {
    std::vector<std::string> words = call(out, workers);
    *std::find(words.begin(), words.end(), "0") = "1000000";
    return words;
  };
  ASSERT_EQ(run_ognn(rarely_saved("whole", "1")).status, 0);
  run_with_stops(rarely_saved("cut", "1"), SIGINT);
  expect_same_bits();
  core::remove_tree(dir_ / "cut");
  run_with_stops(rarely_saved("cut", "2"), SIGTERM);
  expect_same_bits();
}

TEST_F(KillAndResume, OverwritingLeavesWhatIsNotOurs) {
  std::vector<std::string> quick = tiny_train({"--out", (dir_ / "r").string()});
  ASSERT_EQ(run_ognn(quick).status, 0);
  write_text(dir_ / "r" / "split-notes.txt", "mine");
  write_text(dir_ / "r" / "split-0" / "notes.txt", "mine");
  quick.push_back("--overwrite");
  const Outcome outcome = run_ognn(quick);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "split-0/notes.txt, split-notes.txt"));
  EXPECT_EQ(core::read_file(dir_ / "r" / "split-notes.txt"), "mine");
  EXPECT_EQ(core::read_file(dir_ / "r" / "split-0" / "notes.txt"), "mine");
}

TEST_F(KillAndResume, AnEarlierRunIsNotTouchedWithoutBeingTold) {
  std::vector<std::string> quick = tiny_train({"--out", (dir_ / "r").string()});
  ASSERT_EQ(run_ognn(quick).status, 0);
  const std::string before = core::read_file(dir_ / "r" / "summary.json");
  const Outcome refused = run_ognn(quick);
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "--resume")) << refused.err;
  EXPECT_EQ(core::read_file(dir_ / "r" / "summary.json"), before);
  quick.push_back("--overwrite");
  EXPECT_EQ(run_ognn(quick).status, 0);
}

}  // namespace
}  // namespace ordered_gnn
