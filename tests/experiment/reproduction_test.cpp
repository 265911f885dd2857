#include "ordered_gnn/experiment/reproduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/data_support.h"
#include "ordered_gnn/core/io/file.h"
#include "ordered_gnn/experiment/reproduction_report.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

// Small recipes in the layout of recipes/, a folder to reproduce them in, and
// no data anywhere.
class ReproductionTest : public testing::Test {
 protected:
  ReproductionTest() {
    options_.recipes = dir_ / "recipes";
    recipe("table2/tiny", tiny(3));
    recipe("table2/other", tiny(2));
  }

  static Json tiny(int splits) {
    return {{"data",
             "synthetic:csbm?nodes=60&classes=3&features=8&degree=4"
             "&homophily=0.7&signal=2&seed=1&splits=" +
                 std::to_string(splits)},
            {"layers", 2},
            {"hidden", 16},
            {"epochs", 6},
            {"lr", 0.01}};
  }

  void recipe(const std::string& name, const Json& values) {
    write_text(dir_ / "recipes" / (name + ".json"), values.dump());
  }

  ExperimentResult run(const std::string& name) {
    ReproductionHooks hooks;
    trained_ = 0;
    hooks.on_run = [&](const LoggedRun&, const std::string&,
                       const BatchProgress&) { ++trained_; };
    return Reproduction(dir_ / "out", options_, batch_, hooks).run(name);
  }

  std::string out(const std::string& file) {
    return read_file(dir_ / "out" / file);
  }

  TempDir dir_;
  const ScopedEnvironment data_{"OGNN_DATA", (dir_ / "data").c_str()};
  const ScopedEnvironment cache_{"XDG_CACHE_HOME", (dir_ / "cache").c_str()};
  ReproductionOptions options_;
  BatchOptions batch_;
  int trained_ = 0;
};

TEST_F(ReproductionTest, RunsEveryCellAndWritesItsFiles) {
  batch_.command = "ognn reproduce table2";
  const ExperimentResult result = run("table2");
  EXPECT_EQ(trained_, 5);
  ASSERT_EQ(result.cells.size(), 2u);
  EXPECT_EQ(columns_of(result), (std::vector<std::string>{"other", "tiny"}));
  EXPECT_EQ(result.cells[1].runs.size(), 3u);
  EXPECT_EQ(result.cells[1].row, "Ordered GNN");
  // A generated graph has no published number, whatever the recipe is called.
  EXPECT_FALSE(result.cells[1].published);
  EXPECT_EQ(experiment_result_from_json(Json::parse(out("table2/results.json")))
                .cells.size(),
            2u);
  for (const char* file :
       {"table2/table.md", "table2/table.csv", "table2/table2.svg",
        "results.md", "reproduce.json", "runs.jsonl"}) {
    EXPECT_FALSE(out(file).empty()) << file;
  }
  EXPECT_TRUE(contains(out("results.md"), "ognn reproduce table2"));
  EXPECT_TRUE(contains(out("results.md"), "(table2/table2.svg)"));
}

TEST_F(ReproductionTest, RunsOnceWhatIsDone) {
  run("table2");
  const std::string table = out("table2/table.csv");
  run("table2");
  EXPECT_EQ(trained_, 0);
  EXPECT_EQ(out("table2/table.csv"), table);
}

// A kill leaves some of the lines, and perhaps a part of the next.
TEST_F(ReproductionTest, GoesOnAfterAnyCutWithTheSameTable) {
  run("table2");
  const std::string table = out("table2/table.csv");
  const std::string log = out("runs.jsonl");
  const size_t second = log.find('\n', log.find('\n') + 1) + 1;
  const size_t third = log.find('\n', second) + 1;
  for (const size_t cut :
       {size_t{0}, size_t{5}, second, second + 1, third - 1, third}) {
    write_text(dir_ / "out" / "runs.jsonl", log.substr(0, cut));
    const std::string kept = log.substr(0, cut);
    run("table2");
    EXPECT_EQ(out("table2/table.csv"), table) << cut;
    const auto whole = std::count(kept.begin(), kept.end(), '\n');
    // A line that lacks its newline alone is complete.
    EXPECT_EQ(trained_, 5 - whole - (cut == third - 1 ? 1 : 0)) << cut;
  }
}

TEST_F(ReproductionTest, BrokenLinesAreReportedAndTheirRunsRepeated) {
  run("table2");
  const std::string table = out("table2/table.csv");
  std::string log = out("runs.jsonl");
  const size_t second = log.find('\n') + 1;
  log.replace(second, 20, std::string(20, '#'));
  write_text(dir_ / "out" / "runs.jsonl", log);
  const ExperimentResult result = run("table2");
  EXPECT_EQ(trained_, 1);
  ASSERT_EQ(result.broken.size(), 1u);
  EXPECT_TRUE(contains(result.broken[0], "runs.jsonl:2"));
  EXPECT_EQ(out("table2/table.csv"), table);
  EXPECT_TRUE(contains(out("table2/table.md"), "runs.jsonl:2"));
}

TEST_F(ReproductionTest, ExperimentsShareTheirRuns) {
  recipe("tuned/tiny", tiny(3));
  run("table2");
  run("tuned");
  // Seed 42 was there, 43 and 44 were not.
  EXPECT_EQ(trained_, 6);
}

TEST_F(ReproductionTest, DataThatIsNotThereIsMissingWithTheReason) {
  recipe("table2/cora", {{"data", "cora"}, {"split-set", "geom-gcn"}});
  const ExperimentResult result = run("table2");
  const CellResult* const cell = find_cell(result, kOrderedGnn, "cora");
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell->status, CellStatus::missing);
  EXPECT_TRUE(contains(cell->reason, "ind.cora.allx"));
  EXPECT_TRUE(contains(cell->reason, "$OGNN_DATA"));
  EXPECT_TRUE(cell->runs.empty());
  EXPECT_TRUE(cell->published);
  for (const char* file : {"table2/table.md", "table2/table.csv",
                           "table2/results.json", "results.md"}) {
    EXPECT_TRUE(contains(out(file), "ind.cora.allx")) << file;
  }
  EXPECT_TRUE(contains(out("table2/table2.svg"), "missing"));
  const Json json = Json::parse(out("table2/results.json"));
  for (const Json& entry : json.at("cells")) {
    if (entry.at("column") == "cora") {
      EXPECT_TRUE(entry.at("mean").is_null());
      EXPECT_FALSE(entry.contains("difference"));
    }
  }
}

TEST_F(ReproductionTest, AFailedRunMakesItsCellFailed) {
  Json unfit = tiny(2);
  unfit["chunk"] = 5;
  recipe("table2/unfit", unfit);
  const ExperimentResult result = run("table2");
  const CellResult* const cell = find_cell(result, kOrderedGnn, "unfit");
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell->status, CellStatus::failed);
  EXPECT_TRUE(contains(cell->reason, "2 of 2 runs failed"));
  EXPECT_TRUE(cell->runs.empty());
  EXPECT_EQ(find_cell(result, kOrderedGnn, "tiny")->status, CellStatus::done);
  run("table2");
  EXPECT_EQ(trained_, 0);
  batch_.retry_failed = true;
  run("table2");
  EXPECT_EQ(trained_, 2);
}

TEST_F(ReproductionTest, AQuickRunSaysSoEverywhereAndIsKeptApart) {
  recipe("table2/tiny", [] {
    Json values = tiny(5);
    values["epochs"] = 70;
    return values;
  }());
  options_.quick = true;
  options_.datasets = {"tiny"};
  const ExperimentResult result = run("table2");
  ASSERT_EQ(result.cells.size(), 1u);
  EXPECT_EQ(result.cells[0].runs.size(), 3u);
  EXPECT_LE(result.cells[0].runs[0].epochs, kQuickEpochs);
  for (const char* file :
       {"table2/table.md", "table2/table.csv", "table2/results.json",
        "results.md", "table2/table2.svg"}) {
    EXPECT_TRUE(contains(out(file), "QUICK: ")) << file;
  }
  EXPECT_TRUE(contains(experiment_text(result), "QUICK: "));
  options_.quick = false;
  run("table2");
  EXPECT_EQ(trained_, 5);
}

TEST_F(ReproductionTest, OneSplitIsRunWithThreeSeeds) {
  recipe("layers64/one", tiny(1));
  const ExperimentResult result = run("layers64");
  std::set<int64_t> seeds;
  for (const CellRun& cell : result.cells[0].runs) seeds.insert(cell.seed);
  EXPECT_EQ(seeds, (std::set<int64_t>{42, 43, 44}));
  EXPECT_TRUE(contains(out("layers64/table.md"), "seeds 42, 43, 44"));
  options_.seeds = {7};
  EXPECT_EQ(run("layers64").cells[0].runs.size(), 1u);
}

TEST_F(ReproductionTest, TheLadderIsComparedRungByRung) {
  for (const char* gating : {"none", "simple", "ordered", "softor"}) {
    Json values = tiny(3);
    values["gating"] = gating;
    recipe(std::string("ablation/homophily-") + gating, values);
  }
  const ExperimentResult result = run("ablation");
  EXPECT_EQ(rows_of(result),
            (std::vector<std::string>{"bare GNN", "+ simple gating",
                                      "++ ordered gating", "+++ SOFTOR"}));
  const std::vector<CellComparison> pairs = paired_comparisons(result);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].row, "+ simple gating");
  EXPECT_EQ(pairs[0].against, "bare GNN");
  EXPECT_EQ(pairs[2].against, "++ ordered gating");
  double expected = 0;
  for (size_t i = 0; i < 3; ++i) {
    expected +=
        (result.cells[1].runs[i].score - result.cells[0].runs[i].score) / 3;
  }
  EXPECT_NEAR(pairs[0].paired.difference.mean, expected, 1e-12);
  EXPECT_TRUE(contains(out("ablation/table.md"), "run by run"));
}

TEST_F(ReproductionTest, DepthsAreComparedWithTheBest) {
  for (const int layers : {2, 4}) {
    Json values = tiny(1);
    values["layers"] = layers;
    recipe("depth/tiny-" + std::to_string(layers), values);
  }
  Json deep = tiny(1);
  deep["layers"] = 8;
  recipe("layers64/tiny", deep);
  const ExperimentResult result = run("depth");
  EXPECT_EQ(rows_of(result), (std::vector<std::string>{"2", "4", "8"}));
  const std::vector<DepthSummary> summaries = summarise_depths(result);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].depths, (std::vector<int64_t>{2, 4, 8}));
  EXPECT_TRUE(contains(out("depth/table.md"), "all within one point"));
  run("layers64");
  EXPECT_EQ(trained_, 0);
}

TEST_F(ReproductionTest, OneSettingForEveryDepthIsAnExperimentOfItsOwn) {
  for (const int layers : {4, 2}) {
    Json values = tiny(1);
    values["layers"] = layers;
    recipe("depth-tuned/tiny-" + std::to_string(layers), values);
  }
  const ExperimentResult result = run("depth-tuned");
  EXPECT_EQ(rows_of(result), (std::vector<std::string>{"2", "4"}));
  ASSERT_EQ(summarise_depths(result).size(), 1u);
  EXPECT_TRUE(contains(out("depth-tuned/table.md"), "all within one point"));
  EXPECT_TRUE(contains(out("depth-tuned/depth-tuned.svg"), "layers"));
}

TEST_F(ReproductionTest, OtherModelsArePairedWithTheFirst) {
  options_.models = {"ordered_gnn", "mlp", "bare_gnn"};
  options_.datasets = {"tiny"};
  const ExperimentResult result = run("table2");
  EXPECT_EQ(rows_of(result),
            (std::vector<std::string>{"Ordered GNN", "MLP", "bare GNN"}));
  EXPECT_EQ(paired_comparisons(result).size(), 2u);
  options_.models = {"mlq"};
  EXPECT_TRUE(contains(error_of([&] { run("table2"); }), "'mlp'"));
  options_.models = {"mlp"};
  EXPECT_TRUE(contains(
      error_of([&] { resolve_experiments("depth", options_); }), "--models"));
}

TEST_F(ReproductionTest, EpochsAreTimedOnce) {
  recipe("table2/pubmed", tiny(1));
  options_.quick = true;
  const ExperimentResult result = run("runtime");
  ASSERT_EQ(result.cells.size(), 1u);
  EXPECT_EQ(result.unit, "ms");
  EXPECT_EQ(result.cells[0].column, "pubmed-8");
  EXPECT_GT(result.cells[0].runs.at(0).score, 0);
  EXPECT_FALSE(result.cells[0].published);
  const ExperimentResult again = run("runtime");
  EXPECT_EQ(again.cells[0].runs.at(0).score, result.cells[0].runs[0].score);
  write_text(dir_ / "out" / "runtime" / "timings.json", "{\"cut");
  const ExperimentResult repeated = run("runtime");
  ASSERT_EQ(repeated.broken.size(), 1u);
  EXPECT_EQ(repeated.cells[0].status, CellStatus::done);
}

TEST_F(ReproductionTest, GatesAreDescribedLayerByLayer) {
  recipe("table2/texas", tiny(2));
  const ExperimentResult result = run("gates");
  ASSERT_EQ(result.cells.size(), 1u);
  EXPECT_EQ(result.cells[0].status, CellStatus::done) << result.cells[0].reason;
  ASSERT_EQ(result.gates.size(), 1u);
  ASSERT_EQ(result.gates[0].at("layers").size(), 2u);
  EXPECT_EQ(result.gates[0]["layers"][0].at("boxes").size(), 4u);
  const double first = result.gates[0]["layers"][0]["mean_expected_split"];
  const double second = result.gates[0]["layers"][1]["mean_expected_split"];
  // SOFTOR gates never fall from layer to layer.
  EXPECT_GT(first, 0);
  EXPECT_GE(second, first);
  EXPECT_LE(second, 16);
  for (const char* file : {"gates/gates-texas.svg", "gates/gates.svg"}) {
    EXPECT_TRUE(contains(out(file), "<svg")) << file;
  }
  EXPECT_EQ(run("gates").gates, result.gates);
  EXPECT_EQ(trained_, 0);
}

TEST_F(ReproductionTest, AForecastTrainsNothing) {
  const auto forecast = [&] {
    return forecast_experiment("table2", dir_ / "out", options_, batch_);
  };
  EXPECT_EQ(forecast()[1].runs, 3);
  EXPECT_EQ(forecast()[1].done, 0);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
  run("table2");
  EXPECT_EQ(forecast()[1].done, 3);
}

TEST_F(ReproductionTest, AForecastKnowsTimingsAndKeptModels) {
  recipe("table2/pubmed", tiny(1));
  for (const char* name : {"runtime", "gates"}) {
    const auto done = [&] {
      return forecast_experiment(name, dir_ / "out", options_, batch_)
          .at(0)
          .done;
    };
    EXPECT_EQ(done(), 0) << name;
    run(name);
    EXPECT_EQ(done(), 1) << name;
  }
}

TEST_F(ReproductionTest, AFolderOfSomethingElseIsNotTouched) {
  write_text(dir_ / "out" / "thesis.tex", "x");
  EXPECT_TRUE(contains(error_of([&] { run("table2"); }), "choose another"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out" / "runs.jsonl"));
}

TEST_F(ReproductionTest, TwoAtATimeRefuseEachOther) {
  const Reproduction first(dir_ / "out", options_, batch_);
  EXPECT_NE(error_of([&] { run("table2"); }), "");
}

TEST_F(ReproductionTest, NamesThatAreWrongAreToldTheNearest) {
  EXPECT_TRUE(contains(
      error_of([&] { resolve_experiments("tabel2", options_); }), "'table2'"));
  options_.datasets = {"tiniest"};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("table2", options_); }),
                       "has no dataset tiniest"));
  EXPECT_TRUE(contains(error_of([&] { resolve_experiments("all", options_); }),
                       "tiniest"));
  options_.datasets.clear();
  options_.seeds = {42, 43, 42};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("table2", options_); }),
                       "the seed 42 is given twice"));
  options_.seeds.clear();
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("large", options_); }),
                       "no recipes"));
  recipe("table2/broken", "text");
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("table2", options_); }),
                       "table2/broken"));
}

TEST_F(ReproductionTest, AllIsWhatHasRecipes) {
  recipe("layers64/tiny", tiny(1));
  EXPECT_EQ(resolve_experiments("all", options_),
            (std::vector<std::string>{"table2", "depth", "layers64"}));
  options_.recipes.clear();
  const std::vector<std::string> names = resolve_experiments("all", options_);
  for (const char* name : {"table2", "ablation", "depth", "layers64", "large",
                           "gates", "runtime"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(ReproductionPlans, HaveThePapersNumbersBesideTheRecipes) {
  const ReproductionOptions options;
  const ExperimentPlan table2 = plan_experiment("table2", options);
  ASSERT_EQ(table2.cells.size(), 9u);
  EXPECT_EQ(table2.cells[0].column, "texas");
  EXPECT_EQ(table2.cells[8].column, "cora");
  for (const PlannedCell& cell : table2.cells) {
    EXPECT_TRUE(cell.published) << cell.column;
    EXPECT_EQ(cell.measured.has_value(), cell.column != "pubmed");
  }
  const ExperimentPlan ablation = plan_experiment("ablation", options);
  ASSERT_EQ(ablation.cells.size(), 12u);
  EXPECT_EQ(ablation.cells[0].column, "homophily");
  for (const PlannedCell& cell : ablation.cells) {
    EXPECT_TRUE(cell.published) << cell.column << cell.row;
  }
  EXPECT_EQ(plan_experiment("depth", options).cells.size(), 18u);
  EXPECT_EQ(plan_experiment("depth-tuned", options).cells.size(), 12u);
  EXPECT_EQ(plan_experiment("tuned", options).cells.size(), 8u);
  EXPECT_EQ(plan_experiment("layers64", options).cells.size(), 3u);
  EXPECT_EQ(plan_experiment("gates", options).cells.size(), 5u);
  const ExperimentPlan runtime = plan_experiment("runtime", options);
  ASSERT_EQ(runtime.cells.size(), 4u);
  EXPECT_EQ(runtime.cells[3].options.network.layers, 4);
  EXPECT_EQ(runtime.cells[3].options.data.data, "synthetic:ogbn-arxiv");
  EXPECT_DOUBLE_EQ(runtime.cells[0].published->mean, 86.52);
}

}  // namespace
}  // namespace ordered_gnn
