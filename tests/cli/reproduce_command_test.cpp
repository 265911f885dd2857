#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <torch/cuda.h>
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

class ReproduceCommand : public testing::Test {
 protected:
  ReproduceCommand() {
    recipe("table2/tiny", 40);
    recipe("table2/other", 30);
  }

  void recipe(const std::string& name, int nodes) {
    const Json values = {
        {"data",
         "synthetic:csbm?classes=3&features=8&degree=4&splits=4&nodes=" +
             std::to_string(nodes)},
        {"layers", 3},
        {"hidden", 32},
        {"epochs", 80}};
    write_text(dir_ / "recipes" / (name + ".json"), values.dump());
  }

  std::vector<std::string> call(std::vector<std::string> more,
                                const std::string& out = "out") {
    std::vector<std::string> arguments = {
        "reproduce", "--recipes",          (dir_ / "recipes").string(),
        "--quiet",   "--threads",          "1",
        "--out",     (dir_ / out).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::string file(const std::string& name, const std::string& out = "out") {
    return core::read_file(dir_ / out / name);
  }

  int64_t finished_runs(const std::string& out) {
    const fs::path log = dir_ / out / "runs.jsonl";
    if (!fs::exists(log)) return 0;
    const std::string lines = core::read_file(log);
    return std::count(lines.begin(), lines.end(), '\n');
  }

  // Starts the command and kills it when it has done some more runs.
  void start_and_kill(const std::vector<std::string>& call,
                      const std::string& out, int64_t runs) {
    const int64_t before = finished_runs(out);
    const pid_t child = start_ognn(call);
    int status = 0;
    while (finished_runs(out) < before + runs) {
      if (::waitpid(child, &status, WNOHANG) != 0) return;  // it ended
      ::usleep(500);
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }

  TempDir dir_;
};

TEST_F(ReproduceCommand, AGpuThatIsNotHereIsNamedWithWhatIsLeftToRun) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "there is a CUDA device";
  const Outcome outcome = run_ognn(call({"table2", "--device", "cuda"}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "CUDA"));
  EXPECT_TRUE(contains(outcome.err, "8 runs are not in"));
  EXPECT_FALSE(fs::exists(dir_ / "out"));
  const Outcome forecast =
      run_ognn(call({"table2", "--device", "cuda", "--dry-run"}));
  EXPECT_EQ(forecast.status, 0) << forecast.err;
}

TEST_F(ReproduceCommand, PinsTheThreadsOfItsRuns) {
  const Outcome refused =
      run_ognn(call({"table2", "--pin", "--threads", "4096"}));
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--pin has "));
}

TEST_F(ReproduceCommand, PrintsTheTableAndWritesTheFiles) {
  const Outcome outcome = run_ognn(call({"table2"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(outcome.out, "Table 2"));
  EXPECT_TRUE(contains(outcome.out, "tiny"));
  EXPECT_TRUE(contains(outcome.out, "results.md"));
  for (const char* name :
       {"results.md", "table2/table.md", "table2/table.csv",
        "table2/results.json", "table2/table2.svg", "reproduce.json"}) {
    EXPECT_FALSE(file(name).empty()) << name;
  }
  const Json json = Json::parse(file("table2/results.json"));
  EXPECT_TRUE(contains(json.at("command").get<std::string>(),
                       "ognn reproduce --recipes"));
}

TEST_F(ReproduceCommand, KilledAndStartedAgainItEndsWithTheSameTable) {
  ASSERT_EQ(run_ognn(call({"table2"}, "whole")).status, 0);
  for (const int64_t runs : {1, 2, 1}) {
    start_and_kill(call({"table2"}, "cut"), "cut", runs);
  }
  const Outcome outcome = run_ognn(call({"table2"}, "cut"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(file("table2/table.csv", "cut"), file("table2/table.csv", "whole"));
  // Nothing that was finished is run again.
  std::vector<std::string> keys;
  const std::string log = file("runs.jsonl", "cut");
  for (size_t begin = 0; begin < log.size();) {
    const size_t end = log.find('\n', begin);
    const Json line = Json::parse(log.substr(begin, end - begin), nullptr,
                                  /*allow_exceptions=*/false);
    if (line.is_object()) keys.push_back(line.at("key"));
    begin = end + 1;
  }
  EXPECT_EQ(keys.size(), 8u);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
}

TEST_F(ReproduceCommand, WorkersGiveTheSameTable) {
  ASSERT_EQ(run_ognn(call({"table2"}, "one")).status, 0);
  ASSERT_EQ(run_ognn(call({"table2", "--workers", "2"}, "two")).status, 0);
  EXPECT_EQ(file("table2/table.csv", "one"), file("table2/table.csv", "two"));
}

TEST_F(ReproduceCommand, AQuickRunSaysSo) {
  const Outcome outcome = run_ognn(call({"table2", "--quick"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const std::string& text :
       {outcome.out, file("results.md"), file("table2/table.csv"),
        file("table2/results.json"), file("table2/table2.svg")}) {
    EXPECT_TRUE(contains(text, "QUICK: at most 3 splits"));
  }
}

TEST_F(ReproduceCommand, JsonIsOneObject) {
  const Outcome outcome =
      run_ognn(call({"table2", "--json", "--splits", "0,2", "--seeds", "7,8"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  const Json& result = json.at("experiments").at(0);
  EXPECT_EQ(result.at("experiment"), "table2");
  EXPECT_EQ(result.at("cells").at(0).at("n"), 4);
}

TEST_F(ReproduceCommand, ADryRunWritesNothing) {
  const Outcome outcome = run_ognn(call({"all", "--dry-run"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "8 runs, 0 of them done"));
  EXPECT_FALSE(fs::exists(dir_ / "out"));
}

TEST_F(ReproduceCommand, AReportIsMadeWithoutTraining) {
  ASSERT_EQ(run_ognn(call({"table2"})).status, 0);
  const std::string before = file("runs.jsonl");
  const Outcome outcome =
      run_ognn({"reproduce", "report", "--from", (dir_ / "out").string(),
                "--out", (dir_ / "docs" / "results.md").string()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(file("runs.jsonl"), before);
  EXPECT_TRUE(contains(file("results.md", "docs"), "(results/table2.svg)"));
  EXPECT_EQ(file("results/table2.svg", "docs"), file("table2/table2.svg"));
}

TEST_F(ReproduceCommand, ResultsOfALaterVersionAreNamedAndNotUsed) {
  ASSERT_EQ(run_ognn(call({"table2"})).status, 0);
  Json later = Json::parse(file("table2/results.json"));
  later["experiment"] = "table9";
  later["title"] = "What nobody knows yet";
  write_text(dir_ / "out" / "table9" / "results.json", later.dump());
  const Outcome outcome =
      run_ognn({"reproduce", "report", "--from", (dir_ / "out").string(),
                "--out", (dir_ / "page.md").string()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "not used: "));
  EXPECT_TRUE(contains(outcome.err, "unknown experiment 'table9'"));
  const std::string page = core::read_file(dir_ / "page.md");
  EXPECT_TRUE(contains(page, "## Table 2"));
  EXPECT_FALSE(contains(page, "What nobody knows yet"));
}

TEST_F(ReproduceCommand, AFailedCellShowsInTheExitStatus) {
  recipe("table2/unfit", 40);
  Json values =
      Json::parse(core::read_file(dir_ / "recipes/table2/unfit.json"));
  values["chunk"] = 5;
  write_text(dir_ / "recipes/table2/unfit.json", values.dump());
  const Outcome outcome = run_ognn(call({"table2"}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "table2 unfit"));
  EXPECT_TRUE(contains(outcome.out, "4 of 4 runs failed"));
  EXPECT_TRUE(contains(outcome.out, "tiny"));
}

TEST_F(ReproduceCommand, ADryRunOfWhatCannotRunShowsInTheExitStatus) {
  const Outcome outcome =
      run_ognn(call({"table2", "--splits", "0,99", "--dry-run"}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.out, "failed: "));
  EXPECT_TRUE(contains(outcome.err, "2 of the rows would fail"));
  EXPECT_FALSE(fs::exists(dir_ / "out"));
}

TEST_F(ReproduceCommand, ListsTakeBlanksAfterCommasOnly) {
  const Outcome outcome =
      run_ognn(call({"table2", "--models", "ordered_gnn, mlp", "--seeds",
                     "42 ,43", "--splits", "0, 1", "--dry-run"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "16 runs, 0 of them done"));
  const Outcome apart =
      run_ognn(call({"table2", "--models", "gcn", "mlp", "--dry-run"}));
  EXPECT_EQ(apart.status, 2);
  EXPECT_TRUE(contains(
      apart.err,
      "unknown word 'mlp'; lists are written with commas: --models gcn,mlp"));
}

TEST_F(ReproduceCommand, ModelsOfAnotherExperimentAreNamedWithIt) {
  const auto refused = [](const std::string& name, const std::string& model) {
    const Outcome outcome =
        run_ognn({"reproduce", name, "--models", model, "--dry-run"});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused("systems", "gcn"), "'table2' has gcn"));
  EXPECT_TRUE(contains(refused("table2", "ordered_gnn_max"),
                       "'systems' has ordered_gnn_max"));
  EXPECT_TRUE(contains(refused("table2", "gnc"), "did you mean 'gcn'?"));
  EXPECT_TRUE(
      contains(run_ognn({"reproduce", "--help"}).out, "ordered_gnn_max"));
}

TEST_F(ReproduceCommand, MistakesAreUsageErrors) {
  const auto refused = [&](const std::vector<std::string>& more) {
    const Outcome outcome = run_ognn(call(more));
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused({}), "name an experiment"));
  EXPECT_TRUE(contains(refused({"tabel2"}), "'table2'"));
  EXPECT_TRUE(contains(refused({"table2", "--datasets", "x"}), "no dataset x"));
  EXPECT_TRUE(contains(refused({"table2", "--datasets", "a,,b"}), "commas"));
  EXPECT_TRUE(contains(refused({"table2", "--seeds", "x"}), "seed"));
  EXPECT_TRUE(contains(refused({"table2", "--models", "mlq"}), "'mlp'"));
  EXPECT_TRUE(contains(refused({"table2", "--quik"}), "--quick"));
  EXPECT_TRUE(contains(run_ognn({"reproduce", "report"}).err, "--out"));
  EXPECT_FALSE(fs::exists(dir_ / "out"));
}

TEST_F(ReproduceCommand, BuiltInRecipesNeedNoFiles) {
  const Outcome outcome =
      run_ognn({"train", "--config", "table2/texas", "--print-config"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("data"), "texas");
}

}  // namespace
}  // namespace ordered_gnn
