#include "lab/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "core/io/file.h"
#include "lab/runs/recipe.h"
#include "lab/runs/run_splits.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

// Three splits of a tiny graph, each run a few hundredths of a second.
SweepSpec tiny_sweep(const char* search, const char* method = "grid") {
  SweepSpec spec;
  spec.file = "tiny.json";
  spec.base = tiny_run();
  spec.base.splits = "all";
  spec.base.train.epochs = 4;
  spec.space = SearchSpace(Json::parse(search));
  spec.method = parse_search_method(method);
  return spec;
}

constexpr const char* kRates =
    R"({"lr": [0.001, 0.01, 0.1], "tied-gates": [false, true]})";

// The lines of trials.csv without the column of times.
std::vector<std::string> lasting_rows(const std::filesystem::path& folder) {
  std::istringstream text(core::read_file(folder / "trials.csv"));
  std::vector<std::string> rows;
  for (std::string line; std::getline(text, line);) {
    const size_t rung = line.rfind(',');
    const size_t seconds = line.rfind(',', rung - 1);
    rows.push_back(line.substr(0, seconds) + line.substr(rung));
  }
  return rows;
}

class SweepTest : public testing::Test {
 protected:
  SweepResult run(const SweepSpec& spec, const std::string& folder = "sweep",
                  BatchOptions options = {}) {
    options.execution.threads = 1;
    return run_sweep(spec, dir_ / folder, options);
  }
  std::string runs_file(const std::string& folder = "sweep") {
    return core::read_file(dir_ / folder / "runs.jsonl");
  }

  TempDir dir_;
};

TEST_F(SweepTest, AGridFindsTheBestMeanValidationScore) {
  const SweepSpec spec = tiny_sweep(kRates);
  const SweepResult result = run(spec);
  ASSERT_EQ(result.trials.size(), 6u);
  EXPECT_EQ(result.runs, 18);
  EXPECT_EQ(result.failed, 0);
  size_t best = 0;
  double best_score = -1;
  for (size_t i = 0; i < result.trials.size(); ++i) {
    RunOptions options = spec.base;
    apply_json(run_option_table(), to_json(result.trials[i].setting), options);
    const NodeDataset data = load_for_training(options);
    const RunSummary summary = run_splits(data, options);
    EXPECT_NEAR(result.trials[i].objective(), summary.val_mean, 1e-12) << i;
    if (summary.val_mean > best_score) best = i;
    best_score = std::max(best_score, summary.val_mean);
    if (i != best) continue;
    EXPECT_GE(result.trials[*result.best].objective(), summary.val_mean);
  }
  ASSERT_TRUE(result.best.has_value());
  EXPECT_EQ(*result.best, best);
}

TEST_F(SweepTest, TheBestRecipeTrainsToTheObjective) {
  const SweepResult result = run(tiny_sweep(kRates));
  RunOptions options;
  apply_recipe(dir_ / "sweep/best.json", options);
  const NodeDataset data = load_for_training(options);
  const RunSummary summary = run_splits(data, options);
  EXPECT_NEAR(summary.val_mean, result.trials[*result.best].objective(), 1e-12);
  EXPECT_NEAR(summary.test_mean, result.best_test_mean, 1e-12);
  const Json recipe = Json::parse(core::read_file(dir_ / "sweep/best.json"));
  EXPECT_TRUE(contains(recipe["//objective"], "mean validation accuracy"));
  EXPECT_EQ(recipe["//sweep"], "tiny.json");
  EXPECT_TRUE(contains(recipe["//source"], "chosen by validation accuracy"));
}

TEST_F(SweepTest, TheBestRecipeLeavesOutWhatTheModelDoesNotRead) {
  SweepSpec spec = tiny_sweep(R"({"lr": [0.01]})");
  run(spec);
  EXPECT_FALSE(Json::parse(core::read_file(dir_ / "sweep/best.json"))
                   .contains("hop-weights"));
  EXPECT_FALSE(Json::parse(core::read_file(dir_ / "sweep/best.json"))
                   .contains("cs-hops"));
  spec.base.correct_smooth.enabled = true;
  spec.base.correct_smooth.hops = 7;
  run(spec, "smooth");
  EXPECT_EQ(Json::parse(core::read_file(dir_ / "smooth/best.json"))["cs-hops"],
            7);
  spec.base.model = "appnp";
  spec.base.network.alpha = 0.3;
  run(spec, "appnp");
  EXPECT_EQ(Json::parse(core::read_file(dir_ / "appnp/best.json"))["alpha"],
            0.3);
}

TEST_F(SweepTest, TestScoresChangeNothing) {
  const SweepSpec spec = tiny_sweep(kRates);
  const SweepResult honest = run(spec);
  // The same log with test scores turned round.
  std::istringstream lines(runs_file());
  std::string turned;
  for (std::string line; std::getline(lines, line);) {
    Json json = Json::parse(line);
    for (auto& [name, score] : json["result"]["test"].items()) {
      if (score.is_number()) score = 1 - score.get<double>();
    }
    turned += json.dump() + "\n";
  }
  const std::vector<std::string> rows = lasting_rows(dir_ / "sweep");
  write_text(dir_ / "sweep/runs.jsonl", turned);
  const SweepResult other = run(spec);
  EXPECT_EQ(other.runs, 0);
  EXPECT_EQ(other.best, honest.best);
  EXPECT_EQ(lasting_rows(dir_ / "sweep"), rows);
  EXPECT_NE(other.best_test_mean, honest.best_test_mean);
}

TEST_F(SweepTest, SeedsMultiplyTheRunsOfATrial) {
  SweepSpec spec = tiny_sweep(R"({"lr": [0.01, 0.02]})");
  spec.base.splits = "0,2";
  spec.seeds = {5, 6, 7};
  const SweepResult result = run(spec);
  EXPECT_EQ(result.runs, 12);
  EXPECT_EQ(result.trials[0].planned, 6);
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (const LoggedRun& run : read_run_log(dir_ / "sweep/runs.jsonl")) {
    pairs.emplace(run.options.train.seed, run.split);
  }
  EXPECT_EQ(pairs.size(), 6u);
  EXPECT_EQ(Json::parse(core::read_file(dir_ / "sweep/best.json"))["seed"], 5);
}

TEST_F(SweepTest, EverySettingIsRunWithEachVariant) {
  SweepSpec spec = tiny_sweep(R"({"lr": [0.01, 0.02]})");
  spec.base.splits = "0,2";
  spec.seeds = {5, 6};
  spec.each = SearchSpace(Json::parse(R"({"layers": [1, 2, 3]})"), "each");
  const SweepResult result = run(spec);
  EXPECT_EQ(result.runs, 2 * 3 * 2 * 2);
  EXPECT_EQ(result.trials[0].planned, 12);
  std::map<int64_t, std::vector<double>> scores;
  for (const LoggedRun& run : read_run_log(dir_ / "sweep/runs.jsonl")) {
    if (run.options.train.lr != 0.01) continue;
    scores[run.options.network.layers].push_back(run.result->val.accuracy);
  }
  ASSERT_EQ(scores.size(), 3u);
  double mean = 0;
  for (const auto& [layers, list] : scores) mean += describe(list).mean / 3;
  EXPECT_NEAR(result.trials[0].objective(), mean, 1e-12);
  const Json best = Json::parse(core::read_file(dir_ / "sweep/best.json"));
  EXPECT_EQ(best["layers"], spec.base.network.layers);
  EXPECT_TRUE(contains(best["//each"], "layers"));
}

TEST_F(SweepTest, SeedsMayBeSearched) {
  const SweepResult result = run(tiny_sweep(R"({"seed": [1, 2, 3]})"));
  EXPECT_EQ(result.runs, 9);
  EXPECT_EQ(result.best_options.train.seed,
            result.trials[*result.best].setting[0].second);
}

TEST_F(SweepTest, WorkersGiveTheSameTable) {
  run(tiny_sweep(kRates), "one");
  BatchOptions options;
  options.execution.workers = 2;
  run(tiny_sweep(kRates), "two", options);
  EXPECT_EQ(lasting_rows(dir_ / "one"), lasting_rows(dir_ / "two"));
  for (const char* name :
       {"best.json", "trials.md", "trials.tex", "parallel.json"}) {
    EXPECT_EQ(core::read_file(dir_ / "one" / name),
              core::read_file(dir_ / "two" / name))
        << name;
  }
}

TEST_F(SweepTest, ALogCutAnywhereIsCompletedToTheSameTables) {
  SweepSpec spec = tiny_sweep(R"({"lr": [0.001, 0.01]})");
  spec.base.train.epochs = 1;
  run(spec);
  const std::string whole = runs_file();
  const std::vector<std::string> rows = lasting_rows(dir_ / "sweep");
  const std::string best = core::read_file(dir_ / "sweep/best.json");
  const size_t last = whole.rfind('\n', whole.size() - 2);
  const size_t last_but_one = whole.rfind('\n', last - 1);
  for (size_t cut = last_but_one - 1; cut <= whole.size(); cut += 113) {
    write_text(dir_ / "sweep/runs.jsonl", whole.substr(0, cut));
    const SweepResult result = run(spec);
    const int64_t whole_lines =
        std::count(whole.begin(), whole.begin() + cut, '\n');
    // A line that lacks nothing but its newline counts too.
    EXPECT_LE(result.runs, 6 - whole_lines) << cut;
    EXPECT_GE(result.runs, 5 - whole_lines) << cut;
    EXPECT_EQ(result.runs + result.skipped, 6) << cut;
    EXPECT_EQ(lasting_rows(dir_ / "sweep"), rows) << cut;
    EXPECT_EQ(core::read_file(dir_ / "sweep/best.json"), best) << cut;
    EXPECT_EQ(read_run_log(dir_ / "sweep/runs.jsonl").size(), 6u) << cut;
  }
}

TEST_F(SweepTest, ABrokenLineIsReportedAndItsRunRepeated) {
  const SweepSpec spec = tiny_sweep(R"({"lr": [0.001, 0.01]})");
  run(spec);
  const std::vector<std::string> rows = lasting_rows(dir_ / "sweep");
  std::string text = runs_file();
  text[text.find('\n') + 10] = '\x01';
  write_text(dir_ / "sweep/runs.jsonl", text);
  const SweepResult result = run(spec);
  EXPECT_EQ(result.runs, 1);
  ASSERT_EQ(result.broken.size(), 1u);
  EXPECT_TRUE(contains(result.broken[0], "runs.jsonl:2:"));
  EXPECT_EQ(lasting_rows(dir_ / "sweep"), rows);
}

TEST_F(SweepTest, AFailedTrialIsNeverBest) {
  // Width 16 cannot be cut into chunks of 5.
  const SweepSpec spec = tiny_sweep(R"({"chunk": [4, 5, 8]})");
  const SweepResult result = run(spec);
  EXPECT_EQ(result.failed, 3);
  EXPECT_TRUE(std::isnan(result.trials[1].objective()));
  EXPECT_TRUE(contains(result.trials[1].error, "chunk"));
  EXPECT_NE(*result.best, 1u);
  EXPECT_TRUE(contains(lasting_rows(dir_ / "sweep")[2], "1,5,,,0,3,0"));
  const Json recipe = Json::parse(core::read_file(dir_ / "sweep/best.json"));
  EXPECT_TRUE(contains(recipe["//source"], "among 2 settings"));
  EXPECT_TRUE(contains(recipe["//trials"],
                       "3 of them done, 1 with failed runs, which could not"));
  const SweepResult none = run(tiny_sweep(R"({"chunk": [5, 7]})"), "none");
  EXPECT_FALSE(none.best.has_value());
  EXPECT_FALSE(std::filesystem::exists(dir_ / "none/best.json"));
  EXPECT_EQ(run(spec).runs, 0);
  BatchOptions again;
  again.retry_failed = true;
  EXPECT_EQ(run(spec, "sweep", again).runs, 3);
}

TEST_F(SweepTest, MoreTrialsExtendARandomSearch) {
  SweepSpec spec = tiny_sweep(
      R"({"lr": {"min": 0.001, "max": 0.1, "scale": "log"}})", "random");
  spec.trials = 3;
  const SweepResult few = run(spec);
  spec.trials = 5;
  const SweepResult more = run(spec);
  EXPECT_EQ(more.skipped, 9);
  EXPECT_EQ(more.runs, 6);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(to_json(few.trials[i].setting), to_json(more.trials[i].setting));
  }
  spec.trials = 4;
  EXPECT_TRUE(contains(error_of([&] { run(spec); }), "cannot become 4"));
}

TEST_F(SweepTest, AFolderOfAnotherSweepOrOfAnyoneElseIsRefused) {
  run(tiny_sweep(kRates));
  const std::string message =
      error_of([&] { run(tiny_sweep(R"({"lr": [0.001, 0.02, 0.1]})")); });
  EXPECT_TRUE(contains(message, "search lr ([0.001,0.01,0.1] then"));
  EXPECT_TRUE(contains(message, "search tied-gates"));
  SweepSpec spec = tiny_sweep(kRates);
  spec.base.network.layers = 3;
  EXPECT_TRUE(contains(error_of([&] { run(spec); }), "layers (2 then, 3 now)"));
  write_text(dir_ / "thesis/thesis.tex", "precious");
  EXPECT_TRUE(contains(error_of([&] { run(spec, "thesis"); }),
                       "not written by this program"));
}

TEST_F(SweepTest, MistakesAreFoundBeforeTheFolderIsMade) {
  SweepSpec spec = tiny_sweep(kRates);
  spec.base.splits = "9";
  EXPECT_TRUE(contains(error_of([&] { run(spec); }), "9"));
  spec = tiny_sweep(kRates);
  spec.base.data.data = "nowhere.npz";
  EXPECT_TRUE(contains(error_of([&] { run(spec); }), "nowhere.npz"));
  spec = tiny_sweep(kRates, "halving");
  spec.budget = Budget::epochs;
  spec.min_budget = spec.base.train.epochs + 1;
  EXPECT_TRUE(contains(error_of([&] { run(spec); }), "\"min-budget\" is"));
  BatchOptions options;
  options.execution.math = Math::tf32;
  EXPECT_TRUE(contains(
      error_of([&] { run(tiny_sweep(kRates), "sweep", options); }), "cuda"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "sweep"));
}

TEST_F(SweepTest, ParallelCoordinatesNameAxesAndLines) {
  run(tiny_sweep(
      R"({"lr": [0.001, 0.1], "l2-xi": [0, 0.001, 0.1], "gating": ["none"]})"));
  const Json json = Json::parse(core::read_file(dir_ / "sweep/parallel.json"));
  EXPECT_EQ(json["dimensions"][0],
            Json::parse(R"({"name": "gating", "scale": "category",
                            "values": ["none"]})"));
  EXPECT_EQ(json["dimensions"][1]["scale"], "category");  // has a 0
  EXPECT_EQ(json["dimensions"][2]["scale"], "log");
  EXPECT_EQ(json["lines"].size(), 6u);
  EXPECT_EQ(json["lines"][5]["values"], Json::parse(R"(["none", 0.1, 0.1])"));
  EXPECT_TRUE(json["lines"][5]["objective"].is_number());
}

TEST(StoppedSweep, EndsWithWhatIsCompleteAndGoesOnLater) {
  const TempDir dir;
  SweepSpec spec;
  spec.base = tiny_run();
  spec.base.splits = "0";
  spec.space = SearchSpace(Json::parse(R"({"lr": [0.0001, 0.001, 0.01]})"));
  BatchOptions batch;
  batch.execution.threads = 1;
  DatasetCache datasets;
  SweepHooks hooks;
  int64_t begun = 0;
  hooks.on_epoch = [&](const EpochReport& report) {
    begun += report.epoch == 1 ? 1 : 0;
    if (begun == 2) throw BatchStopped{};
  };
  const SweepResult cut =
      run_sweep(spec, dir / "sweep", batch, datasets, hooks);
  EXPECT_TRUE(cut.stopped);
  ASSERT_TRUE(cut.best.has_value());
  EXPECT_EQ(*cut.best, 0u);
  EXPECT_TRUE(std::isnan(cut.trials[2].objective()));
  const SweepResult whole = run_sweep(spec, dir / "sweep", batch, datasets, {});
  EXPECT_FALSE(whole.stopped);
  EXPECT_EQ(whole.skipped + whole.runs, 3);
  EXPECT_GE(whole.skipped, 1);
}

TEST(SweepByLogLoss, TheLowestWinsAndIsShownAsItIs) {
  const TempDir dir;
  SweepSpec spec;
  spec.base = tiny_run();
  spec.base.splits = "0";
  spec.base.train.metric = Metric::log_loss;
  spec.space = SearchSpace(Json::parse(R"({"lr": [0.000001, 0.01]})"));
  BatchOptions batch;
  batch.execution.threads = 1;
  const SweepResult result = run_sweep(spec, dir / "sweep", batch);
  ASSERT_TRUE(result.best.has_value());
  EXPECT_EQ(*result.best, 1u);
  EXPECT_GT(result.best_test_mean, 0);
  EXPECT_EQ(result.trials[1].score().find('-'), std::string::npos);
  const std::string csv = core::read_file(dir / "sweep/trials.csv");
  EXPECT_EQ(csv.find(",-"), std::string::npos) << csv;
}

}  // namespace
}  // namespace ordered_gnn::lab
