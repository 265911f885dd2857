// Streams that are closed, outputs that are no files, and names that would
// command a terminal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/named_dataset.h"
#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "data/formats/npz/dataset.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

// Runs `ognn` in a process whose streams were arranged before; its status, or
// minus the signal that ended it. One that waits for a pipe is ended.
int status_with(const Words& words, const std::function<void()>& arrange) {
  std::vector<char*> argv = {const_cast<char*>(OGNN_BINARY)};
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(120);
    arrange();
    ::execv(OGNN_BINARY, argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// The stream is a pipe that nobody reads.
void leave_unread(int stream) {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(126);
  ::dup2(ends[1], stream);
  ::close(ends[0]);
  ::close(ends[1]);
}

void discard(int stream) { ::dup2(::open("/dev/null", O_WRONLY), stream); }

class Streams : public testing::Test {
 protected:
  // A run that speaks, of two splits.
  Words train(const std::string& out) {
    Words words =
        tiny_train({"--splits", "0,1", "--out", (dir_ / out).string()});
    words.erase(std::find(words.begin(), words.end(), "--quiet"));
    return words;
  }

  // All files are whole and hold what they should.
  void expect_whole(const std::string& out) {
    ASSERT_TRUE(fs::exists(dir_ / out / "summary.json"));
    EXPECT_EQ(Json::parse(core::read_file(dir_ / out / "summary.json"))
                  .at("runs")
                  .size(),
              2u);
    EXPECT_TRUE(Json::accept(core::read_file(dir_ / out / "run.json")));
    std::ifstream metrics(dir_ / out / "split-1" / "metrics.jsonl");
    for (std::string line; std::getline(metrics, line);) {
      EXPECT_TRUE(Json::accept(line)) << line;
    }
  }

  TempDir dir_;
};

TEST_F(Streams, TrainingGoesOnWithoutStandardError) {
  EXPECT_EQ(status_with(train("closed"),
                        [] {
                          discard(STDOUT_FILENO);
                          ::close(STDERR_FILENO);
                        }),
            0);
  expect_whole("closed");
  EXPECT_EQ(status_with(train("unread"),
                        [] {
                          discard(STDOUT_FILENO);
                          leave_unread(STDERR_FILENO);
                        }),
            0);
  expect_whole("unread");
}

// No file that is opened gets the number of a stream and what is said in it.
TEST_F(Streams, WithoutAnyStreamFilesAreWholeAndTheLostResultIsAFailure) {
  EXPECT_EQ(status_with(train("none"),
                        [] {
                          ::close(STDIN_FILENO);
                          ::close(STDOUT_FILENO);
                          ::close(STDERR_FILENO);
                        }),
            1);
  expect_whole("none");
}

TEST_F(Streams, AResultThatNobodyReadsEndsTheCommandAsUsual) {
  const auto unread = [] {
    ::signal(SIGPIPE, SIG_DFL);
    leave_unread(STDOUT_FILENO);
  };
  EXPECT_EQ(status_with({"models"}, unread), -SIGPIPE);
  EXPECT_EQ(status_with({"--help"}, unread), -SIGPIPE);
  EXPECT_EQ(status_with({"models"},
                        [] {
                          ::signal(SIGPIPE, SIG_IGN);
                          leave_unread(STDOUT_FILENO);
                          discard(STDERR_FILENO);
                        }),
            1);
}

TEST_F(Streams, HelpKeepsItsColours) {
  const Outcome plain = run_ognn({"--help"});
  EXPECT_FALSE(contains(plain.out, "\033"));
  ::setenv("CLICOLOR_FORCE", "1", 1);
  const std::vector<Outcome> coloured = {
      run_ognn({"--help"}), run_ognn({"help", "train"}), run_ognn({})};
  ::unsetenv("CLICOLOR_FORCE");
  for (const Outcome& outcome : coloured) {
    EXPECT_TRUE(contains(outcome.out, "\033[1m"));
    EXPECT_FALSE(contains(outcome.out, "\\x1b"));
  }
}

class NoFiles : public Streams {
 protected:
  void SetUp() override {
    ASSERT_EQ(::mkfifo(pipe_.c_str(), 0600), 0);
    ASSERT_EQ(run_ognn(tiny_train({"--out", (dir_ / "run").string()})).status,
              0);
  }

  // What a command says of an output that is a pipe or a device.
  void expect_refused(Words call, const std::string& option) {
    for (const std::string& target :
         {pipe_.string(), std::string("/dev/null"), std::string("/dev/full")}) {
      Words words = call;
      words.insert(words.end(), {option, target});
      const fs::path err = dir_ / "err";
      const int status = status_with(words, [&] {
        discard(STDOUT_FILENO);
        ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
               STDERR_FILENO);
      });
      EXPECT_EQ(status, 1) << call[0] << " " << option << " " << target;
      const std::string message = core::read_file(err);
      EXPECT_TRUE(contains(message, target));
      EXPECT_TRUE(message.find("pipe, socket or device") != message.npos ||
                  message.find("not a folder") != message.npos)
          << message;
    }
  }

  const fs::path pipe_ = dir_ / "pipe";
};

TEST_F(NoFiles, AreRefusedByEveryCommandThatWrites) {
  const std::string model =
      (dir_ / "run" / "split-0" / "model.safetensors").string();
  const Words predict = {"predict", "--checkpoint", model, "--force"};
  for (const char* option : {"--out", "--logits", "--embeddings", "--gates"}) {
    expect_refused(predict, option);
  }
  expect_refused({"explain", "--checkpoint", model}, "--out");
  expect_refused({"report", (dir_ / "run").string()}, "--out");
  expect_refused({"data", "generate", "csbm?nodes=60"}, "--out");
  expect_refused({"data", "convert", "synthetic:csbm?nodes=60", "--to", "npz"},
                 "--out");
  expect_refused({"data", "convert", "synthetic:csbm?nodes=60", "--to", "csv"},
                 "--out");
  expect_refused(tiny_train(), "--out");
  write_text(dir_ / "s.json", R"({"fixed": {"data":
      "synthetic:csbm?nodes=60&classes=3&features=8&splits=2", "epochs": 2},
      "search": {"lr": [0.1]}})");
  expect_refused({"sweep", "--config", (dir_ / "s.json").string()}, "--out");
}

TEST_F(Streams, WhatAKilledPredictionLeftIsDeletedByTheNext) {
  ASSERT_EQ(run_ognn(tiny_train({"--out", (dir_ / "run").string()})).status, 0);
  const fs::path half = dir_ / ".p.csv.2147483646-0.tmp";
  const fs::path other = dir_ / ".q.csv.2147483646-0.tmp";
  write_text(half, "half");
  write_text(other, "half");
  const Outcome outcome =
      run_ognn({"predict", "--checkpoint",
                (dir_ / "run" / "split-0" / "model.safetensors").string(),
                "--out", (dir_ / "p.csv").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_FALSE(fs::exists(half));
  EXPECT_TRUE(fs::exists(other));
}

// Names that clear the screen, colour it and turn the direction of writing.
class Escapes : public testing::Test {
 protected:
  void SetUp() override {
    RawDataset raw = four_classes();
    raw.class_names = classes_;
    raw.node_names[0] = "\033]0;title\007node";
    raw.name = "\033[2Jgraph";
    data::write_npz_dataset(data_, raw);
    const Outcome trained =
        run_ognn({"train", "--data", data_, "--layers", "1", "--epochs", "3",
                  "--out", (dir_ / "run").string()});
    ASSERT_EQ(trained.status, 0) << trained.err;
    expect_shown(trained);
  }

  static void expect_shown(const Outcome& outcome) {
    for (const std::string& text : {outcome.out, outcome.err}) {
      for (const char* obeyed : {"\033", "\007", "\x7f", "\u202e", "\u009b"}) {
        EXPECT_FALSE(contains(text, obeyed)) << text;
      }
    }
  }

  TempDir dir_;
  std::string data_ = (dir_ / "h.npz").string();
  std::string model_ = (dir_ / "run/split-0/model.safetensors").string();
  Words classes_ = {"\033[31mred", "\u202Elatot\u202C", "Zürich\u009b1m",
                    "line\nbreak\x7f"};
};

TEST_F(Escapes, AreShownAndNotObeyed) {
  const Outcome info = run_ognn({"data", "info", data_});
  expect_shown(info);
  EXPECT_TRUE(contains(info.out, "\\x1b[31mred"));
  EXPECT_TRUE(contains(info.out, "\\u202elatot\\u202c"));
  EXPECT_TRUE(contains(info.out, "Zürich\\u009b1m"));
  EXPECT_TRUE(contains(info.out, "line\\nbreak\\u007f"));
  const Outcome evaluated = run_ognn({"evaluate", "--checkpoint", model_});
  expect_shown(evaluated);
  EXPECT_TRUE(contains(evaluated.out, "\\x1b[31mred"));
  const Outcome explained =
      run_ognn({"explain", "--checkpoint", model_, "--node", "number:0"});
  ASSERT_EQ(explained.status, 0) << explained.err;
  expect_shown(explained);
  EXPECT_TRUE(contains(explained.out, "\\x1b]0;title\\x07node"));
  const Outcome uncertain =
      run_ognn({"predict", "--checkpoint", model_, "--uncertain", "200",
                "--out", (dir_ / "\033[5mp.csv").string()});
  ASSERT_EQ(uncertain.status, 0) << uncertain.err;
  expect_shown(uncertain);
  EXPECT_TRUE(contains(uncertain.err, "\\x1b[5mp.csv"));
}

TEST_F(Escapes, AreShownInErrorsAndOfFileNames) {
  const Outcome missing = run_ognn({"data", "info", "\033[31mnone.npz"});
  EXPECT_NE(missing.status, 0);
  expect_shown(missing);
  EXPECT_TRUE(contains(missing.err, "\\x1b[31mnone.npz"));
  const Outcome unknown = run_ognn({"train", "--\033[1mx"});
  EXPECT_EQ(unknown.status, 2);
  expect_shown(unknown);
}

TEST_F(Escapes, AreExactInFilesAndJson) {
  const Outcome info = run_ognn({"data", "info", data_, "--json"});
  EXPECT_EQ(Json::parse(info.out).at("class_names"), Json(classes_));
  const std::string csv = (dir_ / "p.csv").string();
  ASSERT_EQ(run_ognn({"predict", "--checkpoint", model_, "--out", csv}).status,
            0);
  const std::string text = core::read_file(csv);
  EXPECT_TRUE(contains(text, "prob_\033[31mred"));
  EXPECT_TRUE(contains(text, "\033]0;title\007node"));
}

}  // namespace
}  // namespace ordered_gnn
