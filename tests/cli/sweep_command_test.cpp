#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const fs::path& file) {
  std::istringstream text(core::read_file(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// trials.csv without its column of times.
std::vector<std::string> rows_of(const fs::path& folder) {
  std::vector<std::string> rows = lines_of(folder / "trials.csv");
  for (std::string& row : rows) {
    const size_t rung = row.rfind(',');
    row = row.substr(0, row.rfind(',', rung - 1)) + row.substr(rung);
  }
  return rows;
}

class SweepCommand : public testing::Test {
 protected:
  void SetUp() override {
    sweep_ = {
        {"fixed",
         {{"data",
           "synthetic:csbm?nodes=60&classes=3&features=8&degree=4"
           "&splits=3"},
          {"splits", "all"},
          {"layers", 2},
          {"hidden", 16},
          {"epochs", 4}}},
        {"search", {{"lr", {0.001, 0.01}}, {"tied-gates", {true, false}}}}};
  }

  std::vector<std::string> call(const std::string& out,
                                std::vector<std::string> more = {}) {
    write_text(dir_ / "sweep.json", sweep_.dump());
    std::vector<std::string> words = {"sweep",
                                      "--config",
                                      (dir_ / "sweep.json").string(),
                                      "--out",
                                      (dir_ / out).string(),
                                      "--threads",
                                      "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  size_t log_size(const std::string& out) {
    std::error_code missing;
    const auto size = fs::file_size(dir_ / out / "runs.jsonl", missing);
    return missing ? 0 : size;
  }

  // Starts a sweep and waits until it has logged more than before, or ended:
  // then there is no process.
  std::optional<pid_t> start_working(const std::vector<std::string>& words,
                                     const std::string& out) {
    const size_t before = log_size(out);
    const pid_t child = start_ognn(words);
    while (log_size(out) == before) {
      if (::waitpid(child, nullptr, WNOHANG) != 0) return std::nullopt;
      ::usleep(1000);
    }
    return child;
  }

  void kill(std::optional<pid_t> child) {
    if (!child) return;
    ::kill(*child, SIGKILL);
    ::waitpid(*child, nullptr, 0);
  }

  TempDir dir_;
  Json sweep_;
};

TEST_F(SweepCommand, WritesItsFilesAndShowsValidationOnly) {
  const Outcome outcome = run_ognn(call("out", {"--quiet"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* name :
       {"sweep.json", "runs.jsonl", "best.json", "trials.csv", "trials.md",
        "trials.tex", "parallel.json"}) {
    EXPECT_TRUE(fs::exists(dir_ / "out" / name)) << name;
  }
  EXPECT_TRUE(
      contains(outcome.out, "12 runs (0 were there already), 0 failed"));
  EXPECT_TRUE(contains(outcome.out, "(not used for choosing)"));
  const std::string header = outcome.out.substr(0, outcome.out.find('\n'));
  EXPECT_TRUE(contains(header, "val"));
  EXPECT_FALSE(contains(header, "test"));
  EXPECT_FALSE(contains(core::read_file(dir_ / "out/trials.csv"), "test"));
  EXPECT_EQ(lines_of(dir_ / "out/runs.jsonl").size(), 12u);
  const Outcome train = run_ognn(
      {"train", "--quiet", "--config", (dir_ / "out/best.json").string()});
  EXPECT_EQ(train.status, 0) << train.err;
}

TEST_F(SweepCommand, PinsTheThreadsOfItsRuns) {
  const Outcome refused = run_ognn(call("out", {"--pin", "--threads", "4096"}));
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--pin has "));
}

TEST_F(SweepCommand, PrintsOneJsonObject) {
  const Outcome outcome =
      run_ognn(call("out", {"--quiet", "--json", "--workers", "2"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("trials").size(), 4u);
  EXPECT_EQ(json.at("runs"), 12);
  EXPECT_TRUE(json.at("best").contains("test_mean_not_used_for_choosing"));
  for (const Json& trial : json.at("trials")) {
    EXPECT_LE(trial.at("val_mean").get<double>(),
              json.at("best").at("val_mean").get<double>());
    EXPECT_FALSE(contains(trial.dump(), "test"));
  }
}

TEST_F(SweepCommand, HandsTheWinnerOverWhenItIsDone) {
  const fs::path recipe = dir_ / "winner.json";
  write_text(recipe, "{}");
  const std::vector<std::string> halving = {
      "--quiet",      "--method", "halving", "--eta",        "2",
      "--min-budget", "2",        "--best",  recipe.string()};
  const Outcome outcome = run_ognn(call("out", halving));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // Four settings on two splits, two of them on the third.
  EXPECT_TRUE(contains(outcome.out, "10 runs (0 were there already)"));
  EXPECT_EQ(core::read_file(recipe), core::read_file(dir_ / "out/best.json"));
  write_text(recipe, "a letter");
  EXPECT_TRUE(contains(run_ognn(call("out", halving)).err, "winner.json"));
  EXPECT_EQ(core::read_file(recipe), "a letter");
  const Outcome nowhere = run_ognn(
      call("new", {"--quiet", "--best", (dir_ / "none/w.json").string()}));
  EXPECT_TRUE(contains(nowhere.err, "does not exist"));
  EXPECT_FALSE(fs::exists(dir_ / "new"));
}

TEST_F(SweepCommand, ADryRunListsTheTrialsAndWritesNothing) {
  const Outcome outcome = run_ognn(call("out", {"--dry-run"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "3: lr=0.01 tied-gates=false"));
  EXPECT_TRUE(contains(outcome.out, "4 trials (grid)"));
  EXPECT_FALSE(fs::exists(dir_ / "out"));
  const Outcome json = run_ognn(call("out", {"--dry-run", "--json"}));
  EXPECT_EQ(Json::parse(json.out).size(), 4u);
}

TEST_F(SweepCommand, TheCommandLineWinsOverTheFile) {
  sweep_["seeds"] = {1, 2, 3};
  const Outcome outcome = run_ognn(
      call("out", {"--quiet", "--splits", "1", "--epochs", "2", "--seed", "9",
                   "--method", "random", "--trials", "3"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> log = lines_of(dir_ / "out/runs.jsonl");
  EXPECT_EQ(log.size(), 3u);
  for (const std::string& line : log) {
    const Json run = Json::parse(line);
    EXPECT_EQ(run["split"], 1);
    EXPECT_EQ(run["config"]["epochs"], 2);
    EXPECT_EQ(run["config"]["seed"], 9);
  }
}

TEST_F(SweepCommand, AKilledSweepEndsWithTheSameTables) {
  sweep_["fixed"]["epochs"] = 30;
  ASSERT_EQ(run_ognn(call("whole", {"--quiet"})).status, 0);
  for (const char* workers : {"1", "2"}) {
    const std::string out = std::string("cut-") + workers;
    const std::vector<std::string> words =
        call(out, {"--quiet", "--workers", workers});
    for (const int milliseconds : {0, 20, 50}) {
      const std::optional<pid_t> child = start_working(words, out);
      ::usleep(1000 * milliseconds);
      kill(child);
    }
    const Outcome finished = run_ognn(words);
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(rows_of(dir_ / out), rows_of(dir_ / "whole"));
    for (const char* name : {"best.json", "trials.md", "parallel.json"}) {
      EXPECT_EQ(core::read_file(dir_ / out / name),
                core::read_file(dir_ / "whole" / name));
    }
    std::multiset<std::string> keys;
    for (const std::string& line : lines_of(dir_ / out / "runs.jsonl")) {
      const Json run = Json::parse(line, nullptr, false);
      if (run.is_object()) keys.insert(run["key"]);
    }
    EXPECT_EQ(keys.size(), 12u);
    EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 12u);
  }
}

TEST_F(SweepCommand, TwoSweepsOnOneFolderRefuseEachOther) {
  sweep_["fixed"]["patience"] = 100000;
  sweep_["search"]["epochs"] = {2, 100000};
  sweep_["fixed"].erase("epochs");
  const std::vector<std::string> words = call("out", {"--quiet"});
  const std::optional<pid_t> first = start_working(words, "out");
  ASSERT_TRUE(first.has_value());
  const Outcome second = run_ognn(words);
  kill(first);
  EXPECT_EQ(second.status, 1);
  EXPECT_TRUE(contains(second.err, "in use by another sweep")) << second.err;
}

TEST_F(SweepCommand, BrokenLinesAreReportedAndTheirRunsRepeated) {
  ASSERT_EQ(run_ognn(call("out", {"--quiet"})).status, 0);
  const std::vector<std::string> rows = rows_of(dir_ / "out");
  std::vector<std::string> lines = lines_of(dir_ / "out/runs.jsonl");
  lines[4] = lines[4].substr(0, 100);
  lines.erase(lines.begin() + 8);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_text(dir_ / "out/runs.jsonl", text);
  const Outcome outcome = run_ognn(call("out", {"--quiet"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.err, "runs.jsonl:5: is no JSON"));
  EXPECT_TRUE(contains(outcome.out, "12 runs (10 were there already)"));
  EXPECT_EQ(rows_of(dir_ / "out"), rows);
}

TEST_F(SweepCommand, RunsThatDivergeAreRecordedAndTheOthersGoOn) {
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{
           {"gating", "none"}, {"norm", "none"}, {"aggregator", "sum"}}) {
    sweep_["fixed"][name] = value;
  }
  // Sums over 70 layers overflow.
  sweep_["search"] = {{"layers", {2, 70}}};
  sweep_["fixed"].erase("layers");
  const Outcome outcome = run_ognn(call("out", {"--quiet", "--json"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("failed"), 3);
  EXPECT_EQ(json.at("best").at("setting").at("layers"), 2);
  EXPECT_TRUE(contains(json.at("trials")[1].at("error"), "diverged"));
  EXPECT_TRUE(json.at("trials")[1].at("val_mean").is_null());
  const Outcome again = run_ognn(call("out", {"--quiet", "--retry-failed"}));
  EXPECT_TRUE(contains(again.out, "6 runs (3 were there already), 3 failed"));
  sweep_["search"] = {{"layers", {60, 70}}};
  const Outcome none = run_ognn(call("none", {"--quiet"}));
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(contains(none.err, "diverged")) << none.err;
}

TEST_F(SweepCommand, WrongUsageIsExplained) {
  const auto refused = [&](std::vector<std::string> more, const char* part) {
    const Outcome outcome = run_ognn(call("out", std::move(more)));
    EXPECT_EQ(outcome.status, 2) << part;
    EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
    EXPECT_FALSE(fs::exists(dir_ / "out"));
  };
  refused({"--lr", "0.1"}, "--lr is searched");
  refused({"--trials", "3"}, "goes with the methods");
  refused({"--trials", "x", "--method", "random"}, "takes an integer");
  refused({"--method", "rndom"}, "did you mean 'random'");
  refused({"--layer", "3"}, "did you mean '--layers'");
  refused({"--splits", "7"}, "7");
  sweep_["serch"] = 1;
  refused({}, "did you mean 'search'");
  EXPECT_EQ(run_ognn({"sweep", "--out", (dir_ / "out").string()}).status, 2);
  sweep_.erase("serch");
  write_text(dir_ / "sweep.json", sweep_.dump());
  const Outcome homeless =
      run_ognn({"sweep", "--config", (dir_ / "sweep.json").string()});
  EXPECT_EQ(homeless.status, 2);
  EXPECT_TRUE(contains(homeless.err, "--out"));
  const Outcome missing =
      run_ognn({"sweep", "--config", (dir_ / "none.json").string()});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "none.json"));
}

}  // namespace
}  // namespace ordered_gnn
