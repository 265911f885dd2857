// The systems of the paper's table: whose recipes, which rows, who is ahead.
#include <algorithm>

#include "lab/reproduce/support.h"

namespace ordered_gnn::lab {
namespace {

class ReproductionSystems : public ReproductionTest {
 protected:
  static Json gcn_values() {
    return tiny(3, {{"model", "gcn"}, {"hidden", 12}});
  }

  const PlannedCell& cell(const ExperimentPlan& plan, const std::string& row,
                          const std::string& column) {
    const auto found = std::find_if(
        plan.cells.begin(), plan.cells.end(), [&](const PlannedCell& cell) {
          return cell.row == row && cell.column == column;
        });
    EXPECT_NE(found, plan.cells.end()) << row << ", " << column;
    return *found;
  }
};

TEST_F(ReproductionSystems, WithoutRecipesOfTheirOwnThereIsTheModelAlone) {
  EXPECT_EQ(plan_experiment("table2", options_).cells.size(), 2u);
}

TEST_F(ReproductionSystems, EveryRowOfThePaperIsThereOrSaysWhyNot) {
  recipe("systems/gcn/tiny", gcn_values());
  const ExperimentPlan plan = plan_experiment("table2", options_);
  EXPECT_EQ(plan.cells.size(), 2u * 12);
  const PlannedCell& own = cell(plan, "GCN", "tiny");
  EXPECT_EQ(own.recipe, "systems/gcn/tiny");
  EXPECT_EQ(own.options.model, "gcn");
  EXPECT_EQ(own.options.network.hidden, 12);
  EXPECT_EQ(own.against, "Ordered GNN");
  EXPECT_EQ(cell(plan, "GCN", "other").unable,
            "there is no recipe systems/gcn/other");
  const ExperimentResult result = run("table2");
  EXPECT_EQ(trained_, 2 + 3 + 3);
  EXPECT_EQ(find_cell(result, "GCN", "tiny")->runs.size(), 3u);
  const CellResult* const missing = find_cell(result, "GAT", "tiny");
  EXPECT_EQ(missing->status, CellStatus::missing);
  EXPECT_TRUE(contains(missing->reason, "systems/gat/tiny"));
  EXPECT_TRUE(contains(out("table2/table.md"), "systems/gat/tiny"));
  run("table2");
  EXPECT_EQ(trained_, 0);
}

TEST_F(ReproductionSystems, ModelsTakeTheirOwnRecipesOrSayThatTheyBorrow) {
  recipe("systems/gcn/tiny", gcn_values());
  options_.models = {"gcn", "bare_gnn"};
  const ExperimentPlan plan = plan_experiment("table2", options_);
  EXPECT_EQ(plan.cells.size(), 4u);
  EXPECT_EQ(cell(plan, "GCN", "tiny").recipe, "systems/gcn/tiny");
  EXPECT_EQ(cell(plan, "GCN", "other").recipe, "table2/other");
  EXPECT_EQ(cell(plan, "GCN", "other").options.model, "gcn");
  const PlannedCell& bare = cell(plan, "bare GNN", "tiny");
  EXPECT_EQ(bare.options.model, "bare_gnn");
  EXPECT_EQ(bare.options.network.hidden, 16);
  EXPECT_TRUE(contains(plan.notes.back(), "Ordered GNN: gcn, bare_gnn."));
  options_.models = {"gcn"};
  options_.datasets = {"tiny"};
  EXPECT_FALSE(contains(plan_experiment("table2", options_).notes.back(),
                        "No settings of their own"));
}

TEST_F(ReproductionSystems, OurSettingsStandBelowThePapers) {
  const Json ours = tiny(3, {{"lr", 0.03}});
  recipe("tuned/tiny", ours);
  recipe("tuned/elsewhere", ours);
  recipe("systems/gcn/tiny", gcn_values());
  const ExperimentPlan plan = plan_experiment("table2", options_);
  EXPECT_EQ(plan.cells.size(), 2u * 13);
  EXPECT_EQ(plan.cells[2].row, kOurSettings);
  EXPECT_EQ(cell(plan, kOurSettings, "tiny").recipe, "tuned/tiny");
  EXPECT_EQ(cell(plan, kOurSettings, "tiny").against, "Ordered GNN");
  EXPECT_EQ(cell(plan, kOurSettings, "other").unable,
            "there is no recipe tuned/other");
  options_.seeds = {42};
  run("tuned");
  run("table2");
  EXPECT_EQ(trained_, 2 + 3 + 3);  // those of our settings are in the log
  const std::string page = out("table2/table.md");
  const size_t first = page.find("Ordered GNN is the best, or level");
  const size_t second =
      page.find("Ordered GNN, our settings is the best, or level");
  ASSERT_NE(second, std::string::npos);
  EXPECT_LT(first, second);
}

TEST_F(ReproductionSystems, OurSettingsComeWithOrderedGnnAlone) {
  recipe("tuned/tiny", tiny(3));
  options_.datasets = {"tiny"};
  options_.models = {"mlp", "ordered_gnn"};
  ASSERT_EQ(plan_experiment("table2", options_).cells.size(), 3u);
  EXPECT_EQ(plan_experiment("table2", options_).cells[2].row, kOurSettings);
  options_.models = {"ordered_gnn"};
  EXPECT_EQ(plan_experiment("table2", options_).cells.size(), 2u);
  options_.models = {"mlp"};
  EXPECT_EQ(plan_experiment("table2", options_).cells.size(), 1u);
}

TEST_F(ReproductionSystems, RunsOfAllCellsTakeTurns) {
  std::vector<std::string> order;
  ReproductionHooks hooks;
  hooks.on_run = [&](const LoggedRun&, const std::string& what,
                     const BatchProgress&) { order.push_back(what); };
  Reproduction(dir_ / "out", batch_, hooks)
      .run(plan_experiment("table2", options_));
  ASSERT_EQ(order.size(), 5u);
  EXPECT_TRUE(contains(order[0], "other, Ordered GNN, split 0"));
  EXPECT_TRUE(contains(order[1], "tiny, Ordered GNN, split 0"));
  EXPECT_TRUE(contains(order[4], "tiny, Ordered GNN, split 2"));
}

// A row may be another system on some graphs.
TEST(ReproductionSystemsPlan, TheRowOfGcniiIsItsStarOnThreeGraphs) {
  for (const char* name : {"table2", "tuned"}) {
    ReproductionOptions options;
    options.models = {"gcnii"};
    int stars = 0;
    for (const PlannedCell& cell : plan_experiment(name, options).cells) {
      const bool star = cell.column == "texas" || cell.column == "wisconsin" ||
                        cell.column == "cornell";
      stars += star ? 1 : 0;
      EXPECT_EQ(cell.row, "GCNII*");
      EXPECT_EQ(cell.recipe, (star ? "systems/gcnii_star/" : "systems/gcnii/") +
                                 cell.column);
      EXPECT_EQ(cell.options.model, star ? "gcnii_star" : "gcnii");
    }
    EXPECT_EQ(stars, 3) << name;
  }
  for (const PlannedCell& cell : plan_experiment("table2", {}).cells) {
    if (cell.row != "GCNII*" || cell.column != "texas") continue;
    EXPECT_EQ(cell.recipe, "systems/gcnii_star/texas");
  }
}

TEST_F(ReproductionSystems, ARowWithoutTheRecipeOfItsStarIsPlain) {
  recipe("table2/texas", tiny(2));
  const Json values = tiny(2, {{"model", "gcnii"}});
  recipe("systems/gcnii/texas", values);
  const auto planned = [&] {
    return cell(plan_experiment("table2", options_), "GCNII*", "texas").recipe;
  };
  EXPECT_EQ(planned(), "systems/gcnii/texas");
  recipe("systems/gcnii_star/texas", values);
  EXPECT_EQ(planned(), "systems/gcnii_star/texas");
}

TEST(ReproductionSystemsPlan, BuiltInRecipesFillTheTable) {
  const ExperimentPlan plan = plan_experiment("table2", {});
  ASSERT_EQ(plan.cells.size(), 13u * 9);
  std::vector<std::string> rows;
  for (const PlannedCell& cell : plan.cells) {
    if (rows.empty() || rows.back() != cell.row) rows.push_back(cell.row);
    EXPECT_TRUE(cell.published) << cell.row << cell.column;
    if (!cell.unable.empty()) continue;
    EXPECT_EQ(cell.options.data.data, cell.column) << cell.recipe;
    EXPECT_EQ(cell.options.data.split_set, "geom-gcn") << cell.recipe;
  }
  std::vector<std::string> paper = published_systems("table2");
  paper.erase(std::find(paper.begin(), paper.end(), kMeasured));
  paper.insert(paper.begin() + 1, kOurSettings);
  EXPECT_EQ(rows, paper);
  for (const PlannedCell& cell : plan.cells) {
    EXPECT_EQ(cell.unable, "") << cell.row << cell.column;
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
