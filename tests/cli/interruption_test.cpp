// What a command says when it is stopped, and going on by --out and --resume.
#include "shared/interruption.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "shared/speech.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class StoppedCommand : public testing::Test {
 protected:
  // Starts a command, sends the signal once it is `time`, and gives back what
  // it said.
  Outcome stop(const std::vector<std::string>& call,
               const std::function<bool()>& time, int signal = SIGINT) {
    StartedOgnn child(call);
    for (int i = 0; i < 60000 && !time(); ++i) {
      if (child.ended()) break;
      ::usleep(1000);
    }
    child.send(signal);
    return child.wait();
  }

  // Once `file` is there.
  Outcome stop(const std::vector<std::string>& call, const fs::path& file,
               int signal = SIGINT) {
    return stop(
        call, [&] { return fs::exists(file); }, signal);
  }

  std::vector<std::string> endless_train(const std::string& save_seconds) {
    return {"train",     "--data",         kData,        "--splits",
            "all",       "--layers",       "2",          "--hidden",
            "16",        "--epochs",       "100000000",  "--patience",
            "100000000", "--save-seconds", save_seconds, "--quiet",
            "--out",     out_.string()};
  }

  const char* const kData =
      "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=2";
  TempDir dir_;
  fs::path out_ = dir_ / "my run";
};

TEST_F(StoppedCommand, TrainSaysWhatIsKeptAndHowToGoOn) {
  const Outcome outcome =
      stop(endless_train("0"), out_ / "split-0" / "state.safetensors");
  EXPECT_EQ(outcome.status, -SIGINT);
  EXPECT_TRUE(contains(outcome.err, "once more stops at once")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "split 0 up to the epoch that has just"))
      << outcome.err;
  EXPECT_TRUE(contains(
      outcome.err, "\n  ognn train --out '" + out_.string() + "' --resume\n"))
      << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "\033"));
}

TEST_F(StoppedCommand, TrainSavesItsStateBeforeItEnds) {
  std::vector<std::string> call = endless_train("1000000");
  call.insert(call.end(), {"--workers", "2"});
  // The file is made before the first epoch, which leaves a line in it.
  const auto has_epoch = [this] {
    std::error_code missing;
    const auto size =
        fs::file_size(out_ / "split-1" / "metrics.jsonl", missing);
    return !missing && size > 0;
  };
  const Outcome outcome = stop(call, has_epoch, SIGTERM);
  EXPECT_EQ(outcome.status, -SIGTERM);
  EXPECT_TRUE(fs::exists(out_ / "split-1" / "state.safetensors"))
      << outcome.err;
}

TEST_F(StoppedCommand, TrainWithoutAFolderKeepsNothingAndSaysSo) {
  std::vector<std::string> call = endless_train("0");
  call.resize(call.size() - 2);
  const fs::path log = dir_ / "log";
  call.insert(call.end(), {"--tensorboard", log.string()});
  const Outcome outcome = stop(call, log, SIGTERM);
  EXPECT_EQ(outcome.status, -SIGTERM);
  EXPECT_TRUE(contains(outcome.err, "nothing was kept")) << outcome.err;
}

TEST_F(StoppedCommand, ASweepGoesOnByTheSameCommand) {
  write_text(dir_ / "sweep.json",
             std::string(R"({"fixed": {"data": ")") + kData +
                 R"(", "layers": 2, "hidden": 16, "epochs": 100000000,
                 "patience": 100000000}, "search": {"lr": [0.1, 0.01]}})");
  const Outcome outcome =
      stop({"sweep", "--config", (dir_ / "sweep.json").string(), "--out",
            out_.string()},
           out_ / "runs.jsonl");
  EXPECT_EQ(outcome.status, -SIGINT);
  EXPECT_TRUE(contains(outcome.err, ": 0 runs that ended")) << outcome.err;
  EXPECT_TRUE(contains(
      outcome.err,
      "\n  ognn sweep --config " + (dir_ / "sweep.json").string() + " --out '"))
      << outcome.err;
}

TEST_F(StoppedCommand, ATuningGoesOnByTheSameCommand) {
  const Outcome outcome =
      stop({"tune", "--data", kData, "--models", "mlp", "--epochs", "100000000",
            "--patience", "100000000", "--out", out_.string()},
           out_ / "search" / "mlp" / "runs.jsonl");
  EXPECT_EQ(outcome.status, -SIGINT);
  EXPECT_TRUE(contains(outcome.err, "Go on with\n  ognn tune --data "))
      << outcome.err;
}

// A process of its own, whose error stream is read and which has a run under
// way that never ends.
class WaitingProcess {
 public:
  WaitingProcess() {
    EXPECT_EQ(::pipe(ends_), 0);
    child_ = ::fork();
    if (child_ != 0) {
      ::close(ends_[1]);
      return;
    }
    ::alarm(60);
    ::signal(SIGINT, SIG_DFL);
    ::dup2(ends_[1], STDERR_FILENO);
    cli::Interruption interruption([](bool) { return "farewell"; });
    const lab::StopRequest::Saver saver(*interruption.stop());
    cli::draw("ready\n");
    for (;;) ::pause();
  }
  ~WaitingProcess() { ::close(ends_[0]); }

  void send(int signal) const { ::kill(child_, signal); }
  std::string read_line() const {
    std::string line;
    for (char c = 0; ::read(ends_[0], &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }
  int wait() const {
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  int ends_[2] = {-1, -1};
  pid_t child_ = -1;
};

TEST(Interruption, ASecondSignalOfEitherKindEndsAtOnce) {
  for (const int second : {SIGINT, SIGTERM}) {
    const WaitingProcess process;
    EXPECT_EQ(process.read_line(), "ready");
    process.send(SIGINT);
    EXPECT_TRUE(contains(process.read_line(), "once more stops at once"));
    process.send(second);
    EXPECT_EQ(process.read_line(), "");
    EXPECT_EQ(process.wait(), -second);
  }
}

class Resume : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome first = run_ognn(tiny_train({"--out", out_, "--lr", "0.02"}));
    ASSERT_EQ(first.status, 0) << first.err;
  }

  TempDir dir_;
  std::string out_ = (dir_ / "run").string();
};

TEST_F(Resume, NeedsNoOtherOption) {
  // As if it had been stopped before the split was done.
  fs::remove(dir_ / "run" / "split-0" / "result.json");
  const std::string model =
      core::read_file(dir_ / "run" / "split-0" / "model.safetensors");
  const Outcome again =
      run_ognn({"train", "--out", out_, "--resume", "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  const Json json = Json::parse(again.out);
  EXPECT_EQ(json.at("config").at("lr"), 0.02);
  EXPECT_EQ(json.at("config").at("hidden"), 16);
  EXPECT_EQ(core::read_file(dir_ / "run" / "split-0" / "model.safetensors"),
            model);
}

TEST_F(Resume, RefusesMetricsThatCannotBeRead) {
  const fs::path split = dir_ / "run" / "split-0";
  fs::remove(split / "result.json");
  const std::string before = core::read_file(split / "metrics.jsonl");
  fs::permissions(split / "metrics.jsonl", fs::perms::owner_write);
  const Outcome outcome =
      run_ognn_obeying_permissions({"train", "--out", out_, "--resume"});
  fs::permissions(split / "metrics.jsonl", fs::perms::owner_all);
  if (outcome.status == kCannotObey) {
    GTEST_SKIP() << "root may not give up reading every file here";
  }
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "metrics.jsonl")) << outcome.err;
  EXPECT_EQ(core::read_file(split / "metrics.jsonl"), before);
}

TEST_F(Resume, MayDoMoreSplitsOfTheSame) {
  const Outcome more = run_ognn(
      {"train", "--out", out_, "--resume", "--splits", "0,1", "--json"});
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(Json::parse(more.out).at("runs").size(), 2u);
}

TEST_F(Resume, RefusesWhatDoesNotFitByName) {
  const Outcome other =
      run_ognn({"train", "--out", out_, "--resume", "--layers", "3"});
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "--layers 3 does not fit the run in " + out_ +
                                      ", which has 2"))
      << other.err;
  write_text(dir_ / "r.json", R"({"hidden": 32})");
  const Outcome recipe = run_ognn({"train", "--out", out_, "--resume",
                                   "--config", (dir_ / "r.json").string()});
  EXPECT_EQ(recipe.status, 1);
  EXPECT_TRUE(contains(recipe.err, "hidden (16 then, 32 now)")) << recipe.err;
}

TEST_F(Resume, OfNothingIsAnError) {
  const Outcome outcome =
      run_ognn({"train", "--out", (dir_ / "none").string(), "--resume"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "holds no run to go on with"))
      << outcome.err;
  EXPECT_EQ(run_ognn({"train", "--resume"}).status, 2);
}

}  // namespace
}  // namespace ordered_gnn
