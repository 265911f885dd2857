// Systems and graphs that came after the paper.
#include <map>
#include <set>

#include "lab/reproduce/experiment.h"
#include "lab/reproduce/support.h"
#include "lab/runs/recipes.h"
#include "lab/sweep/spec.h"

namespace ordered_gnn::lab {
namespace {

class ReproductionModern : public ReproductionTest {
 protected:
  ReproductionModern() {
    recipe("modern/ordered_gnn_transform/tiny", transform(3));
    recipe("modern/mlp/tiny", tiny(3, {{"model", "mlp"}}));
  }

  static Json transform(int splits) {
    return tiny(splits, {{"transform", "linear"}});
  }
};

TEST_F(ReproductionModern, ThreeSeedsOfEverySplitAreAveragedFirst) {
  const ExperimentResult result = run("modern");
  EXPECT_EQ(rows_of(result),
            (std::vector<std::string>{"Ordered GNN, transform", "MLP"}));
  EXPECT_EQ(trained_, 2 * 9);
  const CellResult& cell = result.cells[0];
  EXPECT_EQ(cell.runs.size(), 9u);
  EXPECT_GT(cell.parameters, 0);
  std::map<int64_t, double> means;
  for (const CellRun& run : cell.runs) means[run.split] += run.score / 3;
  ASSERT_EQ(means.size(), 3u);
  const Statistics expected = describe({means[0], means[1], means[2]});
  EXPECT_NEAR(describe(cell).standard_error, expected.standard_error, 1e-9);
  EXPECT_EQ(describe(cell).count, 3);
  const std::vector<CellComparison> pairs = paired_comparisons(result);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].row, "MLP");
  EXPECT_EQ(pairs[0].paired.difference.count, 3);
  const Json json = to_json(result);
  EXPECT_EQ(json.at("cells")[0].at("n"), 9);
  EXPECT_EQ(json.at("cells")[0].at("n_separate"), 3);
  const std::string page = out("modern/table.md");
  EXPECT_TRUE(contains(page, "Parameters:"));
  EXPECT_TRUE(contains(page, std::to_string(cell.parameters)));
  EXPECT_TRUE(contains(page, "Seconds of a run"));
  EXPECT_FALSE(contains(page, "paper, %"));
}

// Added to results that have it, such rows are compared with the first.
TEST_F(ReproductionModern, RowsCanBeRunAlone) {
  options_.models = {"mlp"};
  options_.alone = true;
  const ExperimentResult result = run("modern");
  EXPECT_EQ(rows_of(result), std::vector<std::string>{"MLP"});
  EXPECT_EQ(trained_, 9);
  EXPECT_EQ(result.cells[0].against, "Ordered GNN, transform");
  EXPECT_TRUE(paired_comparisons(result).empty());
  EXPECT_TRUE(standings(result).empty());
  options_.models = {"ordered_gnn_transform"};
  EXPECT_TRUE(contains(error_of([&] { run("modern"); }), "--alone"));
  options_.models.clear();
  EXPECT_TRUE(contains(error_of([&] { run("modern"); }), "--models"));
  EXPECT_TRUE(contains(error_of([&] { plan_experiments("all", options_); }),
                       "single experiment"));
}

TEST_F(ReproductionModern, OneSplitHasTenSeeds) {
  recipe("modern/ordered_gnn_transform/tiny", transform(1));
  options_.models = {"ordered_gnn_transform"};
  const ExperimentResult result = run("modern");
  EXPECT_EQ(result.cells.size(), 1u);
  EXPECT_EQ(result.cells[0].runs.size(), 10u);
  EXPECT_EQ(describe(result.cells[0]).count, 10);
}

TEST_F(ReproductionModern, SaysWhatIsMissingAndWhatWasNotSearched) {
  recipe("modern/ordered_gnn_transform/other", transform(2));
  Json found = tiny(3, {{"model", "mlp"}});
  found["//sweep"] = "search/modern/mlp";
  recipe("modern/mlp/tiny", found);
  const ExperimentPlan plan = plan_experiment("modern", options_);
  ASSERT_EQ(plan.cells.size(), 4u);
  EXPECT_EQ(plan.cells[2].row, "MLP");
  EXPECT_EQ(plan.cells[2].unable, "there is no recipe modern/mlp/other");
  EXPECT_TRUE(plan.cells[3].searched);
  EXPECT_TRUE(contains(plan.notes[1],
                       "NOT SEARCHED, so with a first guess or a published "
                       "setting, which the recipe names: Ordered GNN, "
                       "transform (other, tiny)."))
      << plan.notes[1];
  options_.models = {"gcn"};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("modern", options_); }),
                       "has nothing for gcn"));
  options_.models = {"mpl"};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("modern", options_); }),
                       "'mlp'"));
}

TEST_F(ReproductionModern, ColumnsHaveTheirOwnMetric) {
  Json values = transform(2);
  values["metric"] = "roc_auc";
  recipe("modern/ordered_gnn_transform/ranked", values);
  options_.models = {"ordered_gnn_transform"};
  const ExperimentResult result = run("modern");
  EXPECT_EQ(result.cells[0].metric, Metric::roc_auc);
  EXPECT_TRUE(contains(out("modern/table.md"),
                       "Test accuracy (ranked: roc_auc), mean"));
  EXPECT_TRUE(contains(out("modern/modern.svg"), "test score, %"));
  const ExperimentResult read = experiment_result_from_json(to_json(result));
  EXPECT_EQ(read.cells[0].metric, Metric::roc_auc);
  EXPECT_EQ(read.cells[0].parameters, result.cells[0].parameters);
  Json earlier = to_json(result);
  earlier["cells"][0].erase("metric");
  earlier["cells"][0].erase("parameters");
  EXPECT_EQ(experiment_result_from_json(earlier).cells[0].metric,
            Metric::accuracy);
}

TEST_F(ReproductionModern, GatesAreTakenAwayRungByRung) {
  for (const char* gating : {"none", "simple", "softor"}) {
    Json values = transform(2);
    values["gating"] = gating;
    recipe(std::string("modern-ablation/a-graph-") + gating, values);
  }
  const ExperimentResult result = run("modern-ablation");
  EXPECT_EQ(rows_of(result), (std::vector<std::string>{
                                 "bare GNN", "+ simple gating", "+++ SOFTOR"}));
  EXPECT_EQ(columns_of(result), std::vector<std::string>{"a-graph"});
  const std::vector<CellComparison> pairs = paired_comparisons(result);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[1].against, "+ simple gating");
  EXPECT_EQ(result.cells[0].runs.size(), 6u);
}

TEST_F(ReproductionModern, GatesOfLayersWithWeightsAreDescribedToo) {
  recipe("modern/ordered_gnn_transform/minesweeper", transform(2));
  const ExperimentResult result = run_gates();
  ASSERT_EQ(result.gates.size(), 1u);
  EXPECT_EQ(result.gates[0].at("column"), "minesweeper");
  EXPECT_EQ(result.gates[0].at("layers").size(), 2u);
  EXPECT_TRUE(contains(out("gates/gates-minesweeper.svg"), "<svg"));
}

TEST(ReproductionModernPlan, BuiltInRecipesFillTheTable) {
  const ExperimentPlan plan = plan_experiment("modern", {});
  std::set<std::string> rows, columns;
  for (const PlannedCell& cell : plan.cells) {
    EXPECT_EQ(cell.unable, "") << cell.recipe;
    EXPECT_EQ(cell.options.data.data, cell.column) << cell.recipe;
    EXPECT_EQ(cell.options.train.epochs, 2000) << cell.recipe;
    EXPECT_EQ(cell.options.train.patience, 200) << cell.recipe;
    EXPECT_EQ(cell.options.train.metric == Metric::roc_auc,
              cell.column == "minesweeper")
        << cell.recipe;
    rows.insert(cell.row);
    columns.insert(cell.column);
  }
  EXPECT_EQ(plan.cells.front().row, "Ordered GNN, transform");
  EXPECT_EQ(plan.cells.front().options.network.transform, Transform::linear);
  for (const char* row :
       {"Ordered GNN", "tuned GCN", "tuned GraphSAGE", "tuned GAT", "MLP"}) {
    EXPECT_EQ(rows.count(row), 1u) << row;
  }
  EXPECT_EQ(plan.cells.size(), rows.size() * columns.size());
  EXPECT_TRUE(contains(plan.notes.back(), "squirrel and chameleon"));
}

// All that a search of a folder may cost is the same for every system.
TEST(ReproductionModernPlan, EverySystemHasASearchWithTheSameBudget) {
  std::set<std::string> searched;
  for (const std::string& name : recipe_names_in({}, "search/modern")) {
    if (name == "search/modern/budget") continue;
    const std::string folder = name.substr(0, name.rfind('/'));
    const SweepSpec spec = read_sweep(name);
    EXPECT_EQ(to_json(sweep_option_table(), spec),
              to_json(sweep_option_table(),
                      read_sweep(folder + "/ordered_gnn_transform")))
        << name;
    EXPECT_EQ(spec.base.train.epochs, 2000) << name;
    EXPECT_EQ(spec.base.train.patience, 200) << name;
    EXPECT_EQ(spec.base.splits, "all") << name;
    EXPECT_GE(spec.space.size(), 100) << name;
    searched.insert(name.substr(name.rfind('/') + 1));
  }
  for (const std::string& name : recipe_names_in({}, "modern")) {
    const std::string system = name.substr(7, name.rfind('/') - 7);
    if (system == "graphs") continue;
    EXPECT_EQ(searched.count(system), 1u) << name;
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
