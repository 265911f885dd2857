#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

class CompareCommand : public testing::Test {
 protected:
  std::vector<std::string> call(std::vector<std::string> more = {},
                                const std::string& out = "out") {
    std::vector<std::string> words = {
        "compare",
        "--data",
        "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=3",
        "--models",
        "gcn,mlp,graphsage",
        "--trials",
        "3",
        "--seeds",
        "1,2",
        "--threads",
        "1",
        "--out",
        (dir_ / out).string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  size_t log_bytes(const std::string& out) {
    size_t bytes = 0;
    for (const char* log :
         {"runs.jsonl", "tuning/gcn/runs.jsonl", "tuning/mlp/runs.jsonl",
          "tuning/graphsage/runs.jsonl"}) {
      std::error_code missing;
      const auto size = std::filesystem::file_size(dir_ / out / log, missing);
      if (!missing) bytes += size;
    }
    return bytes;
  }

  // Starts a comparison and waits until a run more is logged; no process when
  // it ended.
  std::optional<pid_t> start_working(const std::vector<std::string>& words,
                                     const std::string& out) {
    const size_t before = log_bytes(out);
    const pid_t child = start_ognn(words);
    while (log_bytes(out) == before) {
      if (::waitpid(child, nullptr, WNOHANG) != 0) return std::nullopt;
      ::usleep(1000);
    }
    return child;
  }

  static void kill(std::optional<pid_t> child) {
    if (!child) return;
    ::kill(*child, SIGKILL);
    ::waitpid(*child, nullptr, 0);
  }

  // Model, rank and scores; times differ from run to run.
  std::string scores_in(const std::string& out) {
    std::string text;
    const nlohmann::json json =
        nlohmann::json::parse(core::read_file(dir_ / out / "compare.json"));
    for (const auto& model : json.at("models")) {
      text +=
          model.at("model").get<std::string>() + model.at("rank").dump() + ":";
      for (const auto& run : model.at("runs")) text += run.at("test").dump();
      text += "\n";
    }
    return text;
  }

  TempDir dir_;
};

TEST_F(CompareCommand, PrintsOneTableAndASentence) {
  const Outcome outcome = run_ognn(call({"--epochs", "4", "--quiet"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* part : {"rank", "graphsage", "parameters", "memory",
                           "the highest mean test accuracy"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << outcome.out;
  }
  const Outcome again = run_ognn(call({"--epochs", "4", "--json", "--quiet"}));
  ASSERT_EQ(again.status, 0) << again.err;
  const nlohmann::json json = nlohmann::json::parse(again.out);
  EXPECT_EQ(json.at("models").size(), 3u);
  EXPECT_EQ(json.at("models")[0].at("runs").size(), 6u);
  EXPECT_TRUE(contains(outcome.out, json.at("conclusion").get<std::string>()));
}

TEST_F(CompareCommand, KilledAndStartedAgainItEndsWithTheSameTable) {
  ASSERT_EQ(run_ognn(call({"--epochs", "30", "--quiet"}, "whole")).status, 0);
  const std::vector<std::string> words = call(
      {"--epochs", "30", "--quiet", "--workers", "2", "--threads", "0"}, "cut");
  for (const int milliseconds : {0, 30, 200, 400}) {
    const std::optional<pid_t> child = start_working(words, "cut");
    ::usleep(1000 * milliseconds);
    kill(child);
  }
  const Outcome finished = run_ognn(words);
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(scores_in("cut"), scores_in("whole"));
}

TEST_F(CompareCommand, TwoOnOneFolderRefuseEachOther) {
  const std::vector<std::string> words =
      call({"--epochs", "100000", "--patience", "100000", "--quiet"});
  const pid_t first = start_ognn(words);
  while (!std::filesystem::exists(dir_ / "out/runs.jsonl")) ::usleep(1000);
  const Outcome second = run_ognn(words);
  kill(first);
  EXPECT_EQ(second.status, 1);
  EXPECT_TRUE(contains(second.err, "in use")) << second.err;
}

TEST_F(CompareCommand, PinsTheThreadsOfItsRuns) {
  const Outcome refused = run_ognn(call({"--pin", "--threads", "4096"}));
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--pin has "));
}

TEST_F(CompareCommand, ADryRunWritesNothing) {
  const Outcome outcome = run_ognn(call({"--dry-run"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "its defaults"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(CompareCommand, ADryRunFindsThatThereIsNoSuchData) {
  const Outcome outcome = run_ognn(
      {"compare", "--data", "texos", "--models", "gcn,mlp", "--dry-run"});
  EXPECT_NE(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.err, "texas")) << outcome.err;
}

TEST_F(CompareCommand, WithoutAFolderItTakesOneNamedAfterTheData) {
  std::vector<std::string> words = call({"--epochs", "2", "--quiet"});
  const auto out = std::find(words.begin(), words.end(), "--out");
  ASSERT_NE(out, words.end());
  words.erase(out, out + 2);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  const Outcome outcome = run_ognn(words);
  std::filesystem::current_path(before);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Tables and plot: compared/"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "compared"));
}

TEST_F(CompareCommand, MistakesAreUsageErrors) {
  const auto refused = [](const std::vector<std::string>& words) {
    const Outcome outcome = run_ognn(words);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused({"compare"}), "at least two models"));
  EXPECT_TRUE(contains(refused({"compare", "--models", "gcn,mlp"}), "--data"));
  const auto with = [&](const std::string& models, const std::string& trials) {
    return refused({"compare", "--data", "texas", "--models", models,
                    "--trials", trials, "--out", (dir_ / "out").string()});
  };
  EXPECT_TRUE(contains(with("gcn,mlp", "x"), "an integer"));
  EXPECT_TRUE(contains(with("gcn,mlp", "-1"), "trials"));
  EXPECT_TRUE(contains(with("gcn,,mlp", "1"), "commas"));
  EXPECT_TRUE(contains(with("gcn,mlq", "1"), "'mlp'"));
  EXPECT_TRUE(contains(refused(call({"--lr", "1"})), "unknown option"));
}

TEST_F(CompareCommand, SeveralDatasetsShareATable) {
  const std::string rest = "&classes=3&features=8&degree=4&splits=2";
  const std::string both =
      "synthetic:csbm?nodes=60" + rest + ",synthetic:csbm?nodes=80" + rest;
  const std::vector<std::string> words = {"compare", "--data",
                                          both,      "--models",
                                          "gcn,mlp", "--trials",
                                          "0",       "--seeds",
                                          "1",       "--epochs",
                                          "3",       "--quiet",
                                          "--out",   (dir_ / "both").string()};
  const Outcome outcome = run_ognn(words);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("test accuracy, %", 0), 0u) << outcome.out;
  const std::string page = core::read_file(dir_ / "both" / "compare.md");
  EXPECT_TRUE(contains(page, "| gcn ")) << page;
  EXPECT_TRUE(contains(core::read_file(dir_ / "both" / "compare.tex"),
                       "\\begin{tabular}{lrr}"));
  size_t folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "both")) {
    if (!entry.is_directory()) continue;
    ++folders;
    EXPECT_TRUE(std::filesystem::exists(entry.path() / "compare.tex"));
  }
  EXPECT_EQ(folders, 2u);
  // It goes on with what is there.
  std::vector<std::string> again = words;
  again.emplace_back("--json");
  const Outcome json = run_ognn(again);
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out).at("datasets").size(), 2u);
}

TEST_F(CompareCommand, TheSameDatasetTwiceIsRefused) {
  const Outcome outcome = run_ognn(
      {"compare", "--data", "texas,texas", "--models", "gcn,mlp", "--dry-run"});
  EXPECT_NE(outcome.status, 0);
}

}  // namespace
}  // namespace ordered_gnn
