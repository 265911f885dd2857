// The table of experiments, and what each makes of its runs.
#include <set>

#include "lab/reproduce/depths.h"
#include "lab/reproduce/experiment.h"
#include "lab/reproduce/support.h"
#include "support/deep_json.h"

namespace ordered_gnn::lab {
namespace {

TEST(ExperimentTable, EveryEntryIsComplete) {
  std::set<std::string> names;
  for (const Experiment& experiment : experiments()) {
    const std::string name = experiment.name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(&find_experiment(name), &experiment);
    ASSERT_NE(experiment.plan, nullptr) << name;
    EXPECT_NE(experiment.runs.run, nullptr) << name;
    EXPECT_NE(experiment.runs.forecast, nullptr) << name;
    const ExperimentPlan plan = plan_experiment(name, {});
    EXPECT_EQ(plan.experiment, &experiment);
    EXPECT_FALSE(plan.cells.empty()) << name;
    EXPECT_NE(plan.title, "") << name;
    if (experiment.report.published != nullptr) {
      EXPECT_FALSE(published_systems(experiment.report.published).empty())
          << name;
    }
  }
  EXPECT_TRUE(contains(error_of([] { find_experiment("tabel2"); }),
                       "did you mean 'table2'?"));
}

// A result without cells is shown by every entry; one with a number shows it.
TEST(ExperimentTable, EveryEntryShowsItsResult) {
  for (const Experiment& experiment : experiments()) {
    ExperimentResult result;
    result.name = experiment.name;
    result.title = "A title";
    EXPECT_TRUE(contains(experiment_text(result), "A title"));
    EXPECT_TRUE(contains(experiment_markdown(result, ""), "## A title"));
    CellResult cell;
    cell.row = "8";
    cell.column = cell.dataset = "texas";
    CellRun run;
    run.score = 3.5;
    cell.runs = {run};
    result.cells = {cell};
    EXPECT_TRUE(contains(experiment_text(result), "3.50")) << result.name;
    EXPECT_TRUE(contains(experiment_markdown(result, ""), "3.50"))
        << result.name;
    EXPECT_EQ(to_json(result).contains("depth"), experiment.report.over_depth);
  }
}

class ReproductionExperiments : public ReproductionTest {};

TEST_F(ReproductionExperiments, OneSplitIsRunWithThreeSeeds) {
  recipe("layers64/one", tiny(1));
  const ExperimentResult result = run("layers64");
  std::set<int64_t> seeds;
  for (const CellRun& cell : result.cells[0].runs) seeds.insert(cell.seed);
  EXPECT_EQ(seeds, (std::set<int64_t>{42, 43, 44}));
  EXPECT_TRUE(contains(out("layers64/table.md"), "seeds 42, 43, 44"));
  options_.seeds = {7};
  EXPECT_EQ(run("layers64").cells[0].runs.size(), 1u);
}

TEST_F(ReproductionExperiments, TheLadderIsComparedRungByRung) {
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

TEST_F(ReproductionExperiments, DepthsAreComparedWithTheBest) {
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

TEST_F(ReproductionExperiments, DepthHasOtherSystemsWithAndWithoutDropEdge) {
  recipe("depth/tiny-2", tiny(1));
  for (const char* model : {"gcn", "incepgcn"}) {
    recipe(std::string("depth-systems/") + model + "/tiny",
           tiny(1, {{"model", model}, {"epochs", 1}, {"drop-edge", 0.5}}));
  }
  options_.seeds = {42};
  const ExperimentPlan plan = plan_experiment("depth", options_);
  EXPECT_EQ(plan.cells.size(), 1u + 2 * 2 * 6);
  for (const PlannedCell& cell : plan.cells) {
    const bool drops = contains(cell.column, "+DropEdge");
    EXPECT_EQ(cell.options.train.drop_edge, drops ? 0.5 : 0) << cell.column;
    EXPECT_TRUE(cell.unable.empty()) << cell.column << " " << cell.row;
  }
  options_.models = {"gcn"};
  const ExperimentResult result = run("depth");
  EXPECT_EQ(trained_, 12);
  EXPECT_EQ(columns_of(result),
            (std::vector<std::string>{"tiny, GCN", "tiny, GCN+DropEdge"}));
  EXPECT_TRUE(has_depth_systems(result));
  EXPECT_TRUE(contains(out("depth/table.md"), "| GCN+DropEdge"));
  EXPECT_TRUE(contains(out("depth/depth-tiny.svg"), "GCN+DropEdge"));
  options_.models = {"mlp"};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("depth", options_); }),
                       "no settings for mlp"));
}

TEST_F(ReproductionExperiments, OneSettingForEveryDepthIsAnExperimentOfItsOwn) {
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

TEST_F(ReproductionExperiments, OtherModelsArePairedWithTheFirst) {
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
      error_of([&] { plan_experiments("ablation", options_); }), "--models"));
}

TEST_F(ReproductionExperiments, EpochsAreTimedOnce) {
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
  for (const std::string& text : {std::string("{\"cut"), deep_json()}) {
    write_text(dir_ / "out" / "runtime" / "timings.json", text);
    const ExperimentResult repeated = run("runtime");
    ASSERT_EQ(repeated.broken.size(), 1u);
    EXPECT_EQ(repeated.cells[0].status, CellStatus::done);
  }
}

TEST_F(ReproductionExperiments, GatesAreDescribedLayerByLayer) {
  recipe("table2/texas", tiny(2));
  const ExperimentResult result = run_gates();
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

}  // namespace
}  // namespace ordered_gnn::lab
